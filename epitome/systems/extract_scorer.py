"""`extract-scorer`: scores a summary as systems that extract sentences and rewrite each of them would.

Such a system (FAS) gives no probability of a whole summary given a whole source. Following Kumar and Cheung (NAACL
2019), every sentence of the summary is scored given every extracted sentence; the score of a summary sentence is its
maximum over the extracted sentences, and the summary's score is the sum of these maxima.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, ClassVar, Literal, cast

from epitome.schema.tables import Table
from epitome.systems.config import SystemConfig
from epitome.systems.kinds import KINDS
from epitome.systems.protocol import Follows, Request, Role, Scorer, SystemFault, TokenScores
from epitome.systems.sentence_units import content_words, split_into_units
from epitome.text.tokens import sentence_texts

Extractor = Literal["lead", "textrank", "uploaded"]
EXTRACTORS: tuple[Extractor, ...] = ("lead", "textrank", "uploaded")
OWN_OPTIONS = ("extractor", "n", "extracts", "scorer")


@dataclass(frozen=True)
class Settings:
    """n: sentences to extract. extracts: for "uploaded", the key of the system whose outputs are the extracts. scorer:
    kind of the scorer that is wrapped, scorer_settings its own."""

    extractor: Extractor
    n: int
    extracts: str
    scorer: str
    scorer_settings: Any


def parse_options(table: Table) -> Settings:
    """The options named here; all others are those of the scorer. Raises SchemaError."""
    extractor = cast(Extractor, table.choice("extractor", EXTRACTORS, "lead"))
    extracts = table.text("extracts", "", most=60)
    if (extractor == "uploaded") != bool(extracts):
        table.fail("extracts", 'names the system with the extracts, and goes with extractor = "uploaded" alone')
    given_name = table.data.get("scorer")
    names = [
        kind.name
        for kind in KINDS.values()
        if kind.role == "score" and kind.name != "extract-scorer" and (kind.listed or kind.name == given_name)
    ]
    scorer = table.choice("scorer", names)
    scorer_options = {key: value for key, value in table.data.items() if key not in OWN_OPTIONS}
    inner = Table(table.file, table.path, scorer_options, None)
    return Settings(
        extractor=extractor,
        n=table.whole("n", 4, least=1, most=1000),
        extracts=extracts,
        scorer=scorer,
        scorer_settings=import_module(KINDS[scorer].module).parse_options(inner),
    )


def followed_attributes(settings: Settings) -> Follows:
    return cast(Follows, import_module(KINDS[settings.scorer].module).followed_attributes(settings.scorer_settings))


class ExtractScorer:
    """Pairs of (extracted sentence, summary sentence) are scored once: of a contrastive example only the sentences
    that differ from the gold's. The pairs of the newest samples are kept between calls."""

    role: ClassVar[Role] = "score"

    def __init__(self, config: SystemConfig, scorer: Scorer) -> None:
        self.key, self.kind, self.settings = config.key, config.kind, cast(Settings, config.settings)
        self.scorer = scorer
        self.follows: Follows = scorer.follows
        self.batch_size = int(getattr(scorer, "batch_size", 8))
        self._scored: dict[tuple[str, str, str], TokenScores] = {}
        """(request, extracted sentence, summary sentence) -> scores."""

    @property
    def weights_hash(self) -> str:
        return str(getattr(self.scorer, "weights_hash", ""))

    def score(self, batch: Sequence[Request]) -> list[TokenScores]:
        """Raises SystemFault: no text, no sentence of it, nothing extracted, or what the scorer cannot score."""
        sentences = [split_summary(request) for request in batch]
        extracts_by_request: dict[str, list[str]] = {}
        for request in batch:
            if request.id not in extracts_by_request:
                extracts_by_request[request.id] = self.extract_sentences(request)
        extracts = [extracts_by_request[request.id] for request in batch]
        self._score_pairs(batch, extracts, sentences)
        return [self._add_maxima(*row) for row in zip(batch, extracts, sentences, strict=True)]

    def extract_sentences(self, request: Request) -> list[str]:
        """Up to n sentences of the source in its order. Raises SystemFault where there is none."""
        if self.settings.extractor == "uploaded":
            chosen = [sentence for sentence in request.extract if sentence.strip()][: self.settings.n]
        else:
            chosen = _extract(self.settings.extractor, request, self.settings.n)
        if not chosen:
            raise SystemFault(f"request {request.id}: no sentence of its source was extracted")
        return chosen

    def _score_pairs(
        self, batch: Sequence[Request], extracts: Sequence[list[str]], sentences: Sequence[list[str]]
    ) -> None:
        """Score what is not known yet, and forget other samples."""
        requests: dict[tuple[str, str, str], Request] = {}
        for request, extracted, summary in zip(batch, extracts, sentences, strict=True):
            for source in extracted:
                segments = ({"speaker": "", "text": source},)
                for sentence in summary:
                    pair = (request.id, source, sentence)
                    if pair not in requests:
                        requests[pair] = replace(request, segments=segments, text=sentence, extract=())
        known = {pair: self._scored[pair] for pair in requests if pair in self._scored}
        missing = [pair for pair in requests if pair not in known]
        scored = self.scorer.score([requests[pair] for pair in missing]) if missing else []
        ids = {request.id for request in batch}
        still_needed = {pair: scores for pair, scores in self._scored.items() if pair[0] in ids}
        self._scored = still_needed | known | dict(zip(missing, scored, strict=True))

    def _add_maxima(self, request: Request, extracts: Sequence[str], sentences: Sequence[str]) -> TokenScores:
        """The tokens of all summary sentences, each as its best extracted sentence scores them."""
        best = [
            max((self._scored[request.id, source, sentence] for source in extracts), key=lambda scores: scores.total)
            for sentence in sentences
        ]
        tokens = tuple(token for scores in best for token in scores.tokens)
        return TokenScores(tokens, tuple(number for scores in best for number in scores.log_probabilities))

    def close(self) -> None:
        self._scored = {}
        close = getattr(self.scorer, "close", None)
        if close is not None:
            close()


def split_summary(request: Request) -> list[str]:
    """The sentences of the text to score, by the measures' rules: published golds have no capitals. Raises SystemFault
    without any."""
    sentences = [" ".join(sentence.split()) for sentence in sentence_texts(request.text or "", "release")]
    if not sentences:
        raise SystemFault(f"request {request.id}: there is no text to score")
    return sentences


def _extract(extractor: str, request: Request, n: int) -> list[str]:
    sentences = split_into_units(request)
    if extractor == "textrank" and sentences:
        from epitome.systems.textrank import Settings as TextRankSettings
        from epitome.systems.textrank import rank_sentences, similarity_matrix

        ranks = rank_sentences(similarity_matrix([content_words(unit.text) for unit in sentences]), TextRankSettings())
        order = sorted(range(len(sentences)), key=lambda place: (-round(float(ranks[place]), 9), place))
        return [sentences[index].text for index in sorted(order[:n])]
    return [unit.text for unit in sentences[:n]]


def make_system(config: SystemConfig) -> ExtractScorer:
    settings = cast(Settings, config.settings)
    module, _colon, make = KINDS[settings.scorer].load.partition(":")
    scorer = getattr(import_module(module), make)(replace(config, settings=settings.scorer_settings))
    return ExtractScorer(config, scorer)
