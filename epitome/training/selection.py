"""Which weights of a training are the best, by the dev samples; lower is better.

`cer-rouge`: the dev samples are summarized; the mean of all CERs and of 1 - mean ROUGE (F), as in an evaluator of the
code released with Zhang et al., TACL 2023. With CCSBench's attributes: the mean of 1 - ROUGE-L, MAD / 4, 1 - SR,
1 - the difference of grades / 4 (from 0 to 1) and, where a judge reads the focus, 1 - F1, of those that the dev samples
ask for.
`loss`: the mean loss of the reference summaries, with nothing generated; the scripts of that code name no other
criterion, and then the library that they use takes the loss.
"""

from collections.abc import Sequence
from typing import Any, cast

from epitome.measures import Value
from epitome.measures.source import format_segment
from epitome.metrics.ccsbench_scores import LAST_BIN, READABILITY
from epitome.metrics.control_error_rate import cer, selection_score
from epitome.metrics.draws import Draws
from epitome.metrics.macsum_samples import LISTS, ORDINAL, MacsumFile, Sample, Source
from epitome.metrics.paper_columns import has_ccsbench_length, measure_run_texts
from epitome.metrics.report import ROUGES, load_tagger, measure_texts
from epitome.metrics.rouge_scores import rouge_values
from epitome.systems.neural.encoding import pad_id
from epitome.systems.neural.libraries import import_library
from epitome.text.sentences import Segment
from epitome.training.data import Example
from epitome.training.focus_judge import FocusJudge
from epitome.training.methods import IGNORED, Trainee, build_features, collate_batch
from epitome.training.watching import SELECTION

STORED_NAMES = {"rouge1": "rouge_r1", "rouge2": "rouge_r2", "rougeL": "rouge_rl"}
"""Of the components in stored trainings and checkpoints."""
GAP_OF_NO_ERROR = 4.0
"""School years between the two readabilities from which on their difference counts as reached."""


class DevLoss:
    """The mean negative log-likelihood of a token of the dev summaries, by the model in training."""

    def __init__(self, trainee: Trainee, examples: Sequence[Example]) -> None:
        self.trainee, self.rows = trainee, build_features(trainee, examples)

    def scores(self) -> dict[str, float]:
        """selection and loss, which are the same number (nats per token). The model must be in evaluation mode."""
        torch = import_library("torch")
        trainee, size = self.trainee, self.trainee.config.optimisation.batch_size
        total, n_tokens = 0.0, 0
        for start in range(0, len(self.rows), size):
            batch = collate_batch(self.rows[start : start + size], pad_id(trainee.tokenizer))
            batch = {name: tensor.to(trainee.device) for name, tensor in batch.items()}
            chosen = batch.pop("prefix_ids", None)
            labels = batch["labels"] if trainee.family == "seq2seq" else batch["labels"][:, 1:]
            in_batch = int((labels != IGNORED).sum())
            with torch.no_grad(), trainee.applied_prefixes(chosen):
                total += float(trainee.model(**batch).loss) * in_batch
            n_tokens += in_batch
        return {SELECTION: total / n_tokens, "loss": total / n_tokens}


class DevScorer:
    """Scores of summaries of the dev samples. The references are measured once.

    Where the samples have neither MACSum's ordered attributes nor CCSBench's, only ROUGE counts: selection is 1 - mean
    ROUGE.
    """

    def __init__(self, examples: Sequence[Example], judge: FocusJudge | None = None) -> None:
        self.references = [example.summary for example in examples]
        self.language = examples[0].request.schema.language
        self.file = macsum_file(examples)
        self.papers = PaperScorer(examples, judge) if has_ccsbench_length(examples[0].request.schema) else None
        self._gold: dict[str, list[Value]] | None = None

    def scores(self, summaries: Sequence[str]) -> dict[str, float]:
        """selection and its components: cer_length ..., rouge_r1 ...; components without a value are omitted."""
        rouges = rouge_values(self.references, summaries, ROUGES, language=self.language)
        quality = {kind: _mean_value(values) for kind, values in rouges.items()}
        cers = self._cers(summaries) if self.file else {}
        if self.papers is not None:
            chosen, components = self.papers.measure(summaries, quality["rougeL"])
        else:
            chosen = selection_score({name: value for name, value in cers.items() if value.defined}, quality)
            components = {f"cer_{name}": value for name, value in cers.items()}
        components |= {STORED_NAMES[kind]: value for kind, value in quality.items()}
        return {name: float(value) for name, value in {SELECTION: chosen, **components}.items() if value.defined}

    def _cers(self, summaries: Sequence[str]) -> dict[str, Value]:
        file: Any = self.file
        tagger = load_tagger(file)
        if self._gold is None:
            self._gold = measure_texts(file, self.references, "release", tagger)
        values = measure_texts(file, summaries, "release", tagger)
        return {name: cer(name, values[name], self._gold[name]) for name in file.attributes}


def _mean_value(values: Sequence[Value]) -> Value:
    """The mean of those that are defined, else the first one's reason."""
    numbers = [value.value for value in values if value.value is not None]
    return Value.of(sum(numbers) / len(numbers)) if numbers else values[0]


class PaperScorer:
    """CCSBench's measures of summaries of the dev samples, and their mean error."""

    def __init__(self, examples: Sequence[Example], judge: FocusJudge | None = None) -> None:
        self.examples, self.judge = examples, judge
        self.schema = examples[0].request.schema
        self.values = [example.request.values for example in examples]
        self.references = [example.summary for example in examples]

    def measure(self, summaries: Sequence[str], rouge_l: Value) -> tuple[Value, dict[str, Value]]:
        """(mean error, measures): each error from 0, the best, to 1. A difference of grades that is asked for and
        undefined, because the summaries of one readability have no words, is as bad as none."""
        judged = self.judge.read_focus(self.examples, summaries) if self.judge is not None else None
        columns = measure_run_texts(
            self.schema, summaries, self.values, self.references, Draws(replicates=1), judged or None
        )
        names = ("mad", "sr", "gap", "f1")
        measures = {name: aggregate.value for name, aggregate in columns.items() if name in names}
        errors = [1 - float(rouge_l)] if rouge_l.defined else []
        if "f1" in measures and measures["f1"].defined:
            errors.append(1 - float(measures["f1"]))
        if measures["mad"].defined:
            errors.append(float(measures["mad"]) / LAST_BIN)
        if "sr" in measures and measures["sr"].defined:
            errors.append(1 - float(measures["sr"]))
        if self._asks_both_readabilities() and "gap" in measures:
            gap = measures["gap"]
            errors.append(1 - min(max(float(gap) / GAP_OF_NO_ERROR, 0.0), 1.0) if gap.defined else 1.0)
        mean = Value.of(sum(errors) / len(errors)) if errors else Value.none("nothing can be measured")
        return mean, measures

    def _asks_both_readabilities(self) -> bool:
        keys = [attribute.key for attribute in self.schema.attributes if attribute.values == READABILITY]
        return any({values.get(key) for values in self.values} >= set(READABILITY) for key in keys)


def macsum_file(examples: Sequence[Example]) -> MacsumFile | None:
    """The examples as input of the published metrics; None if they lack MACSum's ordered attributes."""
    if any(not example.request.value(name) for example in examples for name in ORDINAL):
        return None
    places: dict[str, int] = {}
    sources: list[Source] = []
    samples: list[Sample] = []
    for example in examples:
        request = example.request
        if example.source_id not in places:
            places[example.source_id] = len(sources)
            lines = tuple(format_segment(cast(Segment, segment)) for segment in request.segments)
            sources.append(Source(example.source_id, request.schema.domain, lines, {}))
        place = places[example.source_id]
        picks = {name: request.picks(name) for name in LISTS}
        requested = {name: request.value(name) for name in ORDINAL}
        key = (place, *(" , ".join(picks[name]) for name in LISTS))
        samples.append(Sample(place, request.id, requested, picks, example.summary, key))
    list_attributes = [name for name in LISTS if any(sample.picks[name] for sample in samples)]
    return MacsumFile("dev", tuple(sources), tuple(samples), (*ORDINAL, *list_attributes))
