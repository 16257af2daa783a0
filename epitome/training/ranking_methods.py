"""What `rank-generative` and `rank-classifier` learn from lists, and how good they are at ranking while they learn.

Settings: Jumel, Louis, Cheung, TESA, EMNLP 2020, appendix D: the generative model learns to write every gold, the
discriminative one to separate golds from other candidates; of all epochs the one with the best validation AP is kept.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from epitome.metrics.ranking import Scored
from epitome.systems.config import parse_config
from epitome.systems.likelihood import LikelihoodRanker
from epitome.systems.neural.encoding import position_limit
from epitome.systems.neural.loading import LoadedModel
from epitome.systems.protocol import Scorer
from epitome.systems.ranking.classifier import GOLD, ClassifierRanker, encode_ends, join_candidate
from epitome.systems.scorer import Seq2SeqScorer
from epitome.training.config import TrainingConfig
from epitome.training.methods import Trainee, build_features
from epitome.training.ranking_data import RankedExample, list_gold_examples
from epitome.training.ranking_run import mean_scores
from epitome.training.systems import format_table, system_text


def build_rank_features(trainee: Trainee, lists: Sequence[RankedExample]) -> list[dict[str, Any]]:
    """Token ids and targets: one row per gold for the generative method, one per candidate for the classifier."""
    if trainee.config.method == "rank-generative":
        return [dict(row) for row in build_features(trainee, list_gold_examples(lists))]
    form = trainee.config.prompt.aggregation_input
    pairs = [
        (join_candidate(example.request, text, form), GOLD if gold else 1 - GOLD)
        for example in lists
        for text, gold in zip(example.request.candidates, example.golds, strict=True)
    ]
    limit = position_limit(trainee.model.config) or trainee.config.prompt.max_source_tokens
    limit = min(limit, trainee.config.prompt.max_source_tokens)
    rows = encode_ends(trainee.tokenizer, [text for text, _label in pairs], limit)
    return [{"input_ids": ids, "labels": label} for ids, (_text, label) in zip(rows, pairs, strict=True)]


class DevRanker:
    """Ranks the dev lists with the model in training."""

    def __init__(self, trainee: Trainee, lists: Sequence[RankedExample]) -> None:
        self.trainee, self.lists = trainee, list(lists)

    def scores(self) -> dict[str, float]:
        """selection (1 - MAP), map, recall and rr. The model must be in evaluation mode."""
        outputs = ranker_in_training(self.trainee).rank([example.request for example in self.lists])
        scored = []
        for example, output in zip(self.lists, outputs, strict=True):
            golds = frozenset(example.gold_texts)
            marks = [text in golds for text, _score in output.candidates]
            scored.append(Scored(example.request.id, [score for _text, score in output.candidates], marks))
        return mean_scores(scored)


def ranker_in_training(trainee: Trainee) -> ClassifierRanker | LikelihoodRanker:
    """The trained system around the current model, whose weights have no hash yet."""
    text = system_text(trainee.config, str(trainee.base), Path("in-training"), "none")
    config = parse_config(text, "system.toml")
    loaded = LoadedModel(trainee.model, trainee.tokenizer, trainee.device, "", ())
    if trainee.config.method == "rank-classifier":
        classifier = ClassifierRanker(config)
        classifier.adopt(loaded)
        return classifier
    scorer = Seq2SeqScorer(parse_config(_scorer_text(trainee.config), "scorer.toml"))
    scorer.adopt(loaded)
    return LikelihoodRanker(config, cast(Scorer, scorer))


def _scorer_text(config: TrainingConfig) -> str:
    options = {
        "weights": "in-training",
        "aggregation_input": config.prompt.aggregation_input,
        "max_source_tokens": config.prompt.max_source_tokens,
    }
    head = {"key": config.key, "kind": "seq2seq-scorer", "name": config.name}
    return "\n".join([*format_table("system", head), *format_table("options", options)]) + "\n"
