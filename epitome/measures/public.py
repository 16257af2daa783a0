"""Measures of one summary for each control attribute, on plain texts.

from epitome.measures import measure
measure("The council raised the budget.", source="...", requested={"topic": "budget"})
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from epitome.measures import ENGLISH, MEASURES, Domain, Profile, SourceIndex, Tagger, Value, spacy_tagger
from epitome.results import Score, Scores, score_of_value
from epitome.text.pipeline import PipelineNotFound

__all__ = ["MEASURES", "Score", "Scores", "measure"]
NO_TAGGER = "none"


def measure(
    text: str,
    source: str | Sequence[str] | None = None,
    requested: Mapping[str, Any] | None = None,
    *,
    measures: Sequence[str] | None = None,
    domain: Domain = "document",
    profile: Profile = "release",
    pipeline: str | None = None,
    language: str = ENGLISH,
) -> Scores:
    """What one summary measures, by attribute (the keys of MEASURES).

    source: the document (one text, or its sentences) or the meeting (turns `Speaker : text`); extractiveness and
        speaker need it. requested: topic, speaker and keywords as text ("a , b") or list.
    measures: which of them; by default all for which source and request are there, and specificity is undefined where
        the extra `language` is not installed.
    language: of the text; what is not defined for it is undefined.
    Returns one Score per measure, without an interval: it is one summary. Raises ValueError (unknown measure, no
    source), TypeError, NoTagger, PipelineNotFound.
    """
    if not isinstance(text, str):
        raise TypeError(f"the summary is {text!r:.60}, not a text")
    request = requested or {}
    keys = list(measures) if measures is not None else _list_measurable(source, request)
    if unknown := [key for key in keys if key not in MEASURES]:
        raise ValueError(f"there is no measure {unknown[0]!r}; there are {', '.join(MEASURES)}")
    lines = source.splitlines() if isinstance(source, str) else source
    index = SourceIndex.from_lines([line for line in lines if line.strip()], domain) if lines is not None else None
    tagger, missing = None, ""
    if _needs_tagger(keys, language):
        try:
            tagger = spacy_tagger(pipeline)
        except PipelineNotFound as error:
            if measures is not None:
                raise
            missing = str(error)
    return Scores(
        "Measures of one summary",
        {
            key: score_of_value(key, Value.none(missing))
            if missing and _needs_tagger([key], language)
            else _measure_text(key, text, index, request, profile, tagger, domain, language)
            for key in keys
        },
    )


def _needs_tagger(keys: Sequence[str], language: str) -> bool:
    return any(MEASURES[key].needs_tagger and not MEASURES[key].explain_refusal(language) for key in keys)


def _list_measurable(source: object, request: Mapping[str, Any]) -> list[str]:
    return [
        key
        for key, entry in MEASURES.items()
        if (source is not None or not entry.needs_source)
        and (entry.needs_request is None or request.get(entry.needs_request))
    ]


def _measure_text(
    key: str,
    text: str,
    index: SourceIndex | None,
    request: Mapping[str, Any],
    profile: Profile,
    tagger: Tagger | None,
    domain: Domain,
    language: str,
) -> Score:
    entry = MEASURES[key]
    names = request.get(entry.needs_request) if entry.needs_request else None
    value = entry(text, index, names, profile=profile, tagger=tagger, language=language)
    tagger_id = tagger.id if tagger else NO_TAGGER
    signature = entry.signature(profile=profile, tagger_id=tagger_id, domain=domain)
    return score_of_value(key, value, signature=str(signature))
