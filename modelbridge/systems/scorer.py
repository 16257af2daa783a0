"""`seq2seq-scorer` and `causal-scorer`: the log-probability of every token of a given summary, given its source.

For ranking, for contrastive examples (Kumar and Cheung, NAACL 2019: s(y) = sum of log P(y_i | S, y_<i)) and for the
mean per token.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from annotation.schema.tables import Table
from modelbridge.systems.causal import ENDING, encode_with_ending
from modelbridge.systems.config import SystemConfig
from modelbridge.systems.neural.batching import Batcher, pad_rows
from modelbridge.systems.neural.encoding import Encoded, encode_texts, pad_id, position_limit
from modelbridge.systems.neural.libraries import free_memory, import_library
from modelbridge.systems.neural.loading import Family, LoadedModel, load_for_inference
from modelbridge.systems.neural.prompts import prompt_text
from modelbridge.systems.neural.settings import KNOWN, Settings, read_settings
from modelbridge.systems.protocol import Follows, Request, Role, SystemFault, TokenScores, followed_values
from modelbridge.systems.seq2seq import model_inputs

IGNORED = -100


@dataclass(frozen=True)
class ScorerSettings(Settings):
    """max_text_tokens: of the summary; a longer one is refused, because a truncated text would have a misleading score.
    ending: the text between source and summary for decoder-only models."""

    max_text_tokens: int = 1024
    ending: str = ENDING


class Scorer:
    """Scores every token that the model would generate, including the end token, as the training loss does."""

    role: ClassVar[Role] = "score"
    family: ClassVar[Family]

    def __init__(self, config: SystemConfig) -> None:
        settings: ScorerSettings = config.settings
        self.key, self.kind, self.settings = config.key, config.kind, settings
        self.follows: Follows = settings.follows
        self.batch_size = settings.batch_size
        self._loaded: LoadedModel | None = None
        self._batcher = Batcher(settings.batch_tokens, settings.most_at_once)

    @property
    def loaded(self) -> LoadedModel:
        if self._loaded is None:
            self._loaded = load_for_inference(self.settings, self.family)
        return self._loaded

    @property
    def weights_hash(self) -> str:
        return self.loaded.hash

    def close(self) -> None:
        self._loaded = None
        free_memory()

    def score(self, batch: Sequence[Request]) -> list[TokenScores]:
        """One per request, in the same order. Raises SystemFault: no text, or one that is too long."""
        if not batch:
            return []
        compat = self.settings.release_compat
        prompts = [
            prompt_text(
                source_request,
                followed_values(self.follows, source_request),
                self.settings.attributes,
                release_compat=compat,
            )
            for source_request in batch
        ]
        sources, targets = self.sources(prompts), [self._target(request) for request in batch]
        lengths = [len(source.ids) + len(target) for source, target in zip(sources, targets, strict=True)]

        def work(places: list[int]) -> list[list[float]]:
            with import_library("torch").inference_mode():
                return self.scores([sources[place] for place in places], [targets[place] for place in places])

        scored_rows = self._batcher.run(lengths, work)
        name = self.loaded.tokenizer.convert_ids_to_tokens
        return [TokenScores(tuple(name(ids)), tuple(row)) for ids, row in zip(targets, scored_rows, strict=True)]

    def sources(self, prompts: Sequence[str]) -> list[Encoded]:
        raise NotImplementedError

    def scores(self, sources: Sequence[Encoded], targets: Sequence[list[int]]) -> list[list[float]]:
        """One log-probability per token of each target."""
        raise NotImplementedError

    def text_ids(self, text: str) -> list[int]:
        raise NotImplementedError

    def source_limit(self) -> int:
        positions = position_limit(self.loaded.model.config)
        return min(self.settings.max_source_tokens, positions or self.settings.max_source_tokens)

    def _target(self, request: Request) -> list[int]:
        if request.text is None:
            raise SystemFault(f"request {request.id}: there is no text to score")
        ids = self.text_ids(request.text)
        if len(ids) > self.settings.max_text_tokens:
            limit = self.settings.max_text_tokens
            raise SystemFault(f"request {request.id}: the text has {len(ids)} tokens; at most {limit} are scored")
        return ids


class Seq2SeqScorer(Scorer):
    family: ClassVar[Family] = "seq2seq"

    def sources(self, prompts: Sequence[str]) -> list[Encoded]:
        return encode_texts(self.loaded.tokenizer, prompts, self.source_limit())

    def text_ids(self, text: str) -> list[int]:
        return list(self.loaded.tokenizer(text_target=text, verbose=False)["input_ids"])

    def scores(self, sources: Sequence[Encoded], targets: Sequence[list[int]]) -> list[list[float]]:
        loaded = self.loaded
        ids, mask = pad_rows([row.ids for row in sources], pad_id(loaded.tokenizer), loaded.device)
        labels, _ = pad_rows(targets, IGNORED, loaded.device)
        logits = loaded.model(
            input_ids=ids, attention_mask=mask, labels=labels, use_cache=False, **model_inputs(loaded.model, mask)
        ).logits
        return _score_targets(logits, labels, [0] * len(targets), targets)


class CausalScorer(Scorer):
    family: ClassVar[Family] = "causal"

    def sources(self, prompts: Sequence[str]) -> list[Encoded]:
        return encode_with_ending(self.loaded.tokenizer, prompts, self.settings.ending, self.source_limit())

    def source_limit(self) -> int:
        positions = position_limit(self.loaded.model.config)
        room = self.settings.max_source_tokens if positions is None else positions - self.settings.max_text_tokens
        if room < 8:
            raise SystemFault(f"max_text_tokens leaves no room for a source: the model has {positions} positions")
        return min(self.settings.max_source_tokens, room)

    def text_ids(self, text: str) -> list[int]:
        tokenizer = self.loaded.tokenizer
        ids = list(tokenizer(f" {text}", add_special_tokens=False, verbose=False)["input_ids"])
        return ids if tokenizer.eos_token_id is None else [*ids, tokenizer.eos_token_id]

    def scores(self, sources: Sequence[Encoded], targets: Sequence[list[int]]) -> list[list[float]]:
        loaded = self.loaded
        rows = [[*source.ids, *target] for source, target in zip(sources, targets, strict=True)]
        ids, mask = pad_rows(rows, pad_id(loaded.tokenizer), loaded.device)
        logits = loaded.model(input_ids=ids, attention_mask=mask, use_cache=False).logits
        # The logits for a token are at the position before it.
        return _score_targets(logits[:, :-1], ids[:, 1:], [len(source.ids) - 1 for source in sources], targets)


def _score_targets(logits: Any, labels: Any, starts: Sequence[int], targets: Sequence[list[int]]) -> list[list[float]]:
    """Log-probabilities of `labels` (rows x places) under `logits`, cut to each row's target from its start on."""
    torch = import_library("torch")
    scored_rows = []
    for row, (start, target) in enumerate(zip(starts, targets, strict=True)):
        span = slice(start, start + len(target))
        # One row at a time in float32: the log-probabilities of all rows would dominate memory use.
        all_of_row = torch.log_softmax(logits[row, span].float(), dim=-1)
        scored_rows.append(all_of_row.gather(1, labels[row, span, None])[:, 0].tolist())
    return scored_rows


def parse_options(table: Table) -> ScorerSettings:
    known = [name for name in KNOWN if name != "decoding"]
    settings = read_settings(table, (*known, "max_text_tokens", "ending"))
    return ScorerSettings(
        **vars(settings),
        max_text_tokens=table.whole("max_text_tokens", 1024, least=2, most=100_000),
        ending=table.text("ending", ENDING, most=200),
    )


def followed_attributes(settings: Settings) -> Follows:
    return settings.follows


def make_seq2seq(config: SystemConfig) -> Seq2SeqScorer:
    return Seq2SeqScorer(config)


def make_causal(config: SystemConfig) -> CausalScorer:
    return CausalScorer(config)
