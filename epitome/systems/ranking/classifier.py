"""`rank-classifier`: a fine-tuned model that reads the task and one candidate, and says how likely it is gold.

Source: Jumel, Louis, Cheung, TESA, EMNLP 2020, section "Discriminative", and its released code: input and candidate are
one sequence without a separator, the head of two classes reads the last token.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from epitome.schema.tables import Table
from epitome.systems.config import SystemConfig
from epitome.systems.neural.batching import Batcher, pad_rows
from epitome.systems.neural.encoding import encode_texts, pad_id, position_limit
from epitome.systems.neural.libraries import LIBRARIES, free_memory, import_library
from epitome.systems.neural.loading import LoadedModel, load_classifier
from epitome.systems.neural.settings import KNOWN, Settings, read_settings
from epitome.systems.protocol import Follows, Output, Request, Role
from epitome.systems.provenance import library_versions
from epitome.systems.ranking.inputs import format_task
from epitome.systems.ranking.ranker import order_candidates, require_candidates, require_task

GOLD = 1
"""The class of gold candidates; 0 is that of the others."""


@dataclass(frozen=True)
class ClassifierSettings(Settings):
    """The options of all systems with weights; those of decoding and control have no meaning here."""


def parse_options(table: Table) -> ClassifierSettings:
    unread = ("decoding", "input", "attributes", "release_compat")
    settings = read_settings(table, [name for name in KNOWN if name not in unread])
    return ClassifierSettings(**vars(settings))


def followed_attributes(settings: Settings) -> Follows:
    return {}


def join_candidate(request: Request, candidate: str, form: str) -> str:
    """What the model reads for one candidate."""
    return f"{format_task(require_task(request), form)} {candidate}"


class ClassifierRanker:
    """Ranks by P(gold)."""

    role: ClassVar[Role] = "rank"

    def __init__(self, config: SystemConfig) -> None:
        self.key, self.kind = config.key, config.kind
        self.settings = cast(ClassifierSettings, config.settings)
        self.follows: Follows = {}
        self.batch_size = max(1, self.settings.batch_size // 8)  # each request has many candidates
        self._loaded: LoadedModel | None = None
        self._batcher = Batcher(self.settings.batch_tokens, self.settings.most_at_once)

    @property
    def loaded(self) -> LoadedModel:
        if self._loaded is None:
            self._loaded = load_classifier(self.settings)
        return self._loaded

    def adopt(self, loaded: LoadedModel) -> None:
        """Use a model that is already in memory, as training does."""
        self._loaded = loaded

    def close(self) -> None:
        self._loaded = None
        free_memory()

    def rank(self, batch: Sequence[Request]) -> list[Output]:
        """Raises SystemFault: a request without candidates or entities."""
        for request in batch:
            require_candidates(request)
        form = self.settings.aggregation_input
        texts = [join_candidate(request, text, form) for request in batch for text in request.candidates]
        values = iter(self._probabilities(texts))
        return [self._rank_one(request, [next(values) for _text in request.candidates]) for request in batch]

    def _probabilities(self, texts: Sequence[str]) -> list[float]:
        loaded = self.loaded
        limit = position_limit(loaded.model.config) or self.settings.max_source_tokens
        rows = encode_ends(loaded.tokenizer, texts, min(self.settings.max_source_tokens, limit))

        def work(places: list[int]) -> list[float]:
            torch = import_library("torch")
            with torch.inference_mode():
                ids, mask = pad_rows([rows[index] for index in places], pad_id(loaded.tokenizer), loaded.device)
                logits = loaded.model(input_ids=ids, attention_mask=mask).logits
                return cast(list[float], torch.softmax(logits.float(), dim=-1)[:, GOLD].tolist())

        return self._batcher.run([len(row) for row in rows], work)

    def _rank_one(self, request: Request, scores: Sequence[float]) -> Output:
        ranked = order_candidates(scores, request)
        return Output(
            ranked[0][0],
            decoding=self.decoding(),
            seed=request.seed,
            weights=self.loaded.hash,
            versions=library_versions(*LIBRARIES),
            candidates=ranked,
        )

    def decoding(self) -> Mapping[str, Any]:
        """The parameters stored with every output."""
        return {"aggregation_input": self.settings.aggregation_input}


def encode_ends(tokenizer: Any, texts: Sequence[str], limit: int) -> list[list[int]]:
    """Token ids of each text; a text that is too long loses its beginning, because the candidate is at its end."""
    rows = [list(row.ids) for row in encode_texts(tokenizer, texts, 1_000_000)]
    return [row if len(row) <= limit else [row[0], *row[len(row) - limit + 1 :]] for row in rows]


def make_system(config: SystemConfig) -> ClassifierRanker:
    return ClassifierRanker(config)
