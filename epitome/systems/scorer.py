"""`seq2seq-scorer` and `causal-scorer`: the log-probability of every token of a given summary, given its source.

For ranking, for contrastive examples (Kumar and Cheung, NAACL 2019: s(y) = sum of log P(y_i | S, y_<i)) and for the
mean per token. Several texts of one source are scored together, and the model reads the source once for all of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from epitome.schema.tables import Table
from epitome.systems.causal import OPTIONS, read_prompt_options
from epitome.systems.config import SystemConfig
from epitome.systems.lora import LoraSettings, load_adapters, read_active_adapter, use_one_adapter
from epitome.systems.neural.batching import Batcher, pad_rows
from epitome.systems.neural.decoder_prompts import PlainPrompts
from epitome.systems.neural.encoding import Encoded, encode_texts, pad_id, position_limit
from epitome.systems.neural.libraries import free_memory, import_library
from epitome.systems.neural.loading import Family, LoadedModel, load_for_inference
from epitome.systems.neural.prompts import prompt_text
from epitome.systems.neural.settings import KNOWN, Settings, read_settings
from epitome.systems.neural.shared_sources import (
    IGNORED,
    ReadSource,
    continue_prompt,
    count_texts_that_fit,
    read_encoder_source,
    read_prompt,
    score_decoder_texts,
)
from epitome.systems.protocol import Follows, Request, Role, SystemFault, TokenScores, followed_values
from epitome.systems.seq2seq import model_inputs


@dataclass(frozen=True)
class ScorerSettings(LoraSettings):
    """max_text_tokens: of the summary; a longer one is refused, because a truncated text would have a misleading score.
    share_source: read a source once for all its texts; the scores are the same without, up to rounding."""

    max_text_tokens: int = 1024
    share_source: bool = True


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
        self._shares = settings.share_source
        self._newest: ReadSource | None = None

    @property
    def loaded(self) -> LoadedModel:
        if self._loaded is None:
            settings = self.settings
            if settings.adapters:
                self._loaded = load_adapters(settings, self.family, use_one_adapter(settings.adapter))
            else:
                self._loaded = load_for_inference(settings, self.family)
        return self._loaded

    def adopt(self, loaded: LoadedModel) -> None:
        """Use a model that is already in memory, as training does."""
        self._loaded = loaded

    @property
    def weights_hash(self) -> str:
        return self.loaded.hash

    def close(self) -> None:
        self._loaded = self._newest = None
        free_memory()

    def score(self, batch: Sequence[Request]) -> list[TokenScores]:
        """One per request, in the same order. Raises SystemFault: no text, or one that is too long."""
        if not batch:
            return []
        targets = [self._target(request) for request in batch]
        places_by_prompt: dict[str, list[int]] = {}
        for index, request in enumerate(batch):
            places_by_prompt.setdefault(self._prompt(request), []).append(index)
        scored_rows = self._score_groups(list(places_by_prompt), list(places_by_prompt.values()), targets)
        name = self.loaded.tokenizer.convert_ids_to_tokens
        return [TokenScores(tuple(name(ids)), tuple(scored_rows[position])) for position, ids in enumerate(targets)]

    def _prompt(self, request: Request) -> str:
        values = followed_values(self.follows, request)
        settings = self.settings
        return prompt_text(
            request,
            values,
            settings.attributes,
            release_compat=settings.release_compat,
            aggregation_input=settings.aggregation_input,
        )

    def _score_groups(
        self, prompts: Sequence[str], groups: Sequence[list[int]], targets: Sequence[list[int]]
    ) -> dict[int, list[float]]:
        """Place -> the log-probabilities of its target. groups: the places that have each prompt."""
        scored_rows: dict[int, list[float]] = {}
        single: list[tuple[Encoded, int]] = []
        for source, places in zip(self.sources(prompts), groups, strict=True):
            shared_rows = self._score_shared(source, [targets[index] for index in places]) if len(places) > 1 else None
            if shared_rows is None:
                single += [(source, index) for index in places]
            else:
                scored_rows.update(zip(places, shared_rows, strict=True))
        plain_rows = self._score_plain([source for source, _ in single], [targets[index] for _, index in single])
        scored_rows.update(zip([index for _, index in single], plain_rows, strict=True))
        return scored_rows

    def _score_plain(self, sources: Sequence[Encoded], targets: Sequence[list[int]]) -> list[list[float]]:
        """Every text with its source read again: where each source has one text, or the model cannot share it."""

        def work(places: list[int]) -> list[list[float]]:
            with import_library("torch").inference_mode():
                return self.scores([sources[index] for index in places], [targets[index] for index in places])

        lengths = [len(source.ids) + len(target) for source, target in zip(sources, targets, strict=True)]
        return self._batcher.run(lengths, work)

    def _score_shared(self, source: Encoded, targets: Sequence[list[int]]) -> list[list[float]] | None:
        """All texts of one source, which is read once; None where the model cannot."""
        if not self._shares:
            return None
        with import_library("torch").inference_mode():
            if self._newest is None or self._newest.ids != source.ids:
                self._newest = None  # its memory is free before the next source is read
                self._newest = self.read_source(source)
        if self._newest is None:
            self._shares = False
            return None
        read = self._newest

        def work(places: list[int]) -> list[list[float]]:
            with import_library("torch").inference_mode():
                return self.scores_of_read(read, [targets[index] for index in places])

        return self._batcher.run([len(source.ids) + len(target) for target in targets], work)

    def sources(self, prompts: Sequence[str]) -> list[Encoded]:
        raise NotImplementedError

    def scores(self, sources: Sequence[Encoded], targets: Sequence[list[int]]) -> list[list[float]]:
        """One log-probability per token of each target."""
        raise NotImplementedError

    def read_source(self, source: Encoded) -> ReadSource | None:
        """The source, read for many texts; None where the model cannot share it."""
        raise NotImplementedError

    def scores_of_read(self, source: ReadSource, targets: Sequence[list[int]]) -> list[list[float]]:
        """As `scores`, of texts of one source that was read."""
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

    def read_source(self, source: Encoded) -> ReadSource | None:
        return read_encoder_source(self.loaded, source)

    def scores_of_read(self, source: ReadSource, targets: Sequence[list[int]]) -> list[list[float]]:
        logits, labels = score_decoder_texts(self.loaded, source, targets)
        return _score_targets(logits, labels, [0] * len(targets), targets)


class CausalScorer(Scorer):
    family: ClassVar[Family] = "causal"

    @property
    def prompts(self) -> PlainPrompts:
        return self.settings.prompts(self.loaded.tokenizer)

    def _prompt(self, request: Request) -> str:
        return self.prompts.text(request, followed_values(self.follows, request))

    def sources(self, prompts: Sequence[str]) -> list[Encoded]:
        positions = position_limit(self.loaded.model.config)
        room = None if positions is None else positions - self.settings.max_text_tokens
        if room is not None and room < 8:
            raise SystemFault(f"max_text_tokens leaves no room for a source: the model has {positions} positions")
        return self.prompts.encode(prompts, self.settings.max_source_tokens, room)

    def text_ids(self, text: str) -> list[int]:
        prompts = self.prompts
        return [*prompts.summary_ids(text), *prompts.end_ids]

    def scores(self, sources: Sequence[Encoded], targets: Sequence[list[int]]) -> list[list[float]]:
        loaded = self.loaded
        rows = [[*source.ids, *target] for source, target in zip(sources, targets, strict=True)]
        ids, mask = pad_rows(rows, pad_id(loaded.tokenizer), loaded.device)
        logits = loaded.model(input_ids=ids, attention_mask=mask, use_cache=False).logits
        # The logits for a token are at the position before it.
        return _score_targets(logits[:, :-1], ids[:, 1:], [len(source.ids) - 1 for source in sources], targets)

    def read_source(self, source: Encoded) -> ReadSource | None:
        return read_prompt(self.loaded, source)

    def scores_of_read(self, source: ReadSource, targets: Sequence[list[int]]) -> list[list[float]]:
        step = count_texts_that_fit(source, max(map(len, targets)))
        batches = [targets[start : start + step] for start in range(0, len(targets), step)]
        return [row for batch in batches for row in continue_prompt(self.loaded, source, batch)]


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
    settings = read_settings(table, (*known, *OPTIONS, "adapters", "adapter", "max_text_tokens", "share_source"))
    adapters = read_active_adapter(table) if "adapters" in table.data or "adapter" in table.data else {}
    return ScorerSettings(
        **vars(settings),
        **read_prompt_options(table),
        **adapters,
        max_text_tokens=table.whole("max_text_tokens", 1024, least=2, most=100_000),
        share_source=table.flag("share_source", True),
    )


def followed_attributes(settings: Settings) -> Follows:
    return settings.follows


def make_seq2seq(config: SystemConfig) -> Seq2SeqScorer:
    return Seq2SeqScorer(config)


def make_causal(config: SystemConfig) -> CausalScorer:
    return CausalScorer(config)
