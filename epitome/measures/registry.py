"""The measures by the name that an attribute of a project declares as `measure = "..."`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from epitome.measures import keywords, length, overlap, readability, speaker, specificity, topic
from epitome.measures.requested_names import parse_names
from epitome.measures.signature import Signature
from epitome.measures.source import JOINERS, Domain, SourceIndex
from epitome.measures.syllables import SYLLABLES
from epitome.measures.tagger import NoTagger, Tagger
from epitome.measures.values import Profile, Value

Request = Sequence[str] | str | None
ENGLISH = "en"


@dataclass(frozen=True)
class Case:
    """The inputs of one measurement; those that a measure needs are set (see Measure)."""

    text: str
    source: SourceIndex | None
    request: list[str]
    profile: Profile
    tagger: Tagger | None

    @property
    def index(self) -> SourceIndex:
        """The source; raises ValueError where none was given."""
        if self.source is None:
            raise ValueError("this measure compares with the source: give its SourceIndex")
        return self.source


@dataclass(frozen=True)
class Measure:
    """One measure: call it with a text. needs_request names the attribute whose value it compares with. languages:
    those that it is defined for, by their codes; (): all."""

    key: str
    compute: Callable[[Case], Value]
    version: str = "1"
    needs_tagger: bool = False
    needs_source: bool = False
    needs_request: str | None = None
    options: tuple[tuple[str, str], ...] = ()
    languages: tuple[str, ...] = ()

    def explain_refusal(self, language: str) -> str:
        """Why texts in a language (a tag such as en or pt-BR) have no such number; "" where they have one."""
        if not self.languages or language.lower().partition("-")[0] in self.languages:
            return ""
        return f"{self.key} is defined for texts in {', '.join(self.languages)}, not in {language}"

    def __call__(
        self,
        text: str,
        source: SourceIndex | None = None,
        request: Request = None,
        *,
        profile: Profile = "release",
        tagger: Tagger | None = None,
        language: str = ENGLISH,
    ) -> Value:
        """The measure of `text`; undefined where nothing was requested, and in a language that it is not defined for.
        Raises NoTagger, ValueError (no source)."""
        if reason := self.explain_refusal(language):
            return Value.none(reason)
        requested = parse_names(request)
        if self.needs_request and not requested:
            return Value.none(f"no {self.needs_request} requested")
        if self.needs_tagger and tagger is None:
            raise NoTagger(f"{self.key} needs a tagger, for example epitome.measures.spacy_tagger()")
        return self.compute(Case(text, source, requested, profile, tagger))

    def signature(
        self, *, profile: Profile = "release", tagger_id: str | None = None, domain: Domain = "document"
    ) -> Signature:
        """What reproduces this measure; raises NoTagger where it needs a tagger and no id is given."""
        options = dict(self.options)
        if self.key == "extractiveness":
            options["joiner"] = (JOINERS[domain].strip() if profile == "release" else "") or "blank"
        if self.needs_tagger:
            if not tagger_id:
                raise NoTagger(f"{self.key} needs a tagger: give its id")
            options["tagger"] = tagger_id
        return Signature(f"{self.key}:{profile}", self.version, tuple(options.items()))


def _measure_length(case: Case) -> Value:
    return Value.of(length.n_tokens(case.text, case.profile))


def _measure_extractiveness(case: Case) -> Value:
    return Value.of(overlap.extractiveness(case.text, case.index, case.profile))


def _measure_specificity(case: Case) -> Value:
    assert case.tagger is not None  # checked in Measure.__call__
    return specificity.specificity_many([case.text], case.tagger, case.profile)[0]


def _measure_topic(case: Case) -> Value:
    return topic.topic_share(case.text, case.request)


def _measure_speaker(case: Case) -> Value:
    return speaker.speaker_share(case.text, case.request, case.index, case.profile)


def _measure_keywords(case: Case) -> Value:
    return keywords.success_rate(case.text, case.request)


def _measure_readability(case: Case) -> Value:
    return readability.fkgl(case.text, case.profile)


_TOKENS = ("tokens", length.TOKENISER)

MEASURES: Mapping[str, Measure] = {
    measure.key: measure
    for measure in (
        Measure("length", _measure_length, version="2", options=(_TOKENS,)),
        Measure("extractiveness", _measure_extractiveness, version="4", needs_source=True),
        Measure(
            "specificity",
            _measure_specificity,
            version="3",
            needs_tagger=True,
            options=(_TOKENS,),
            languages=(ENGLISH,),  # weights of the Penn Treebank's tags
        ),
        Measure("topic", _measure_topic, version="2", needs_request="topic"),
        Measure(
            "speaker", _measure_speaker, version="3", needs_source=True, needs_request="speaker", options=(_TOKENS,)
        ),
        Measure(
            "keywords",
            _measure_keywords,
            version="2",
            needs_request="keywords",
            options=(("stemmer", keywords.STEMMER),),
        ),
        Measure(
            "readability",
            _measure_readability,
            version=readability.VERSION,
            options=(("syllables", SYLLABLES),),
            languages=(ENGLISH,),  # grades of US schools
        ),
    )
}


def measure_summary(
    text: str,
    source: SourceIndex,
    attributes: Mapping[str, object],
    *,
    measures: Sequence[str],
    profile: Profile = "release",
    tagger: Tagger | None = None,
    language: str = ENGLISH,
) -> dict[str, Value]:
    """The named measures of one summary, by key, in the order of `measures`.

    attributes: the requested values; `topic`, `speaker` and `keywords` as in the released files ("a , b") or as lists.
    language: of the text; measures that are not defined for it, or for the script that the text is in, are undefined.
    An empty summary has 0 in length, extractiveness, specificity and speaker. Raises ValueError for an unknown
    measure, NoTagger, TypeError where a request is neither text nor a list of texts.
    """
    values = {}
    for key in measures:
        if (measure := MEASURES.get(key)) is None:
            raise ValueError(f"there is no measure {key!r}; there are {', '.join(MEASURES)}")
        request = _check_request(attributes.get(measure.needs_request)) if measure.needs_request else None
        values[key] = measure(text, source, request, profile=profile, tagger=tagger, language=language)
    return values


def _check_request(value: object) -> Request:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and all(isinstance(name, str) for name in value):
        return value
    raise TypeError(f"a request is text or a list of texts, not {str(value)[:60]!r}")
