"""Measures the finalists of a search with the real measures and chooses the best one as the summary."""

from collections.abc import Sequence

from annotation.measures import Tagger
from annotation.measures.length import n_tokens
from annotation.measures.overlap import extractiveness
from annotation.measures.readability import fkgl
from annotation.measures.speaker import speaker_share
from annotation.measures.specificity import specificity_many
from annotation.text.words import n_words
from modelbridge.systems.controlled_extract.search import Problem, Search, State
from modelbridge.systems.controlled_extract.writing import write_summary


def choose_best_text(
    search: Search, finals: Sequence[State], tagger: Tagger | None
) -> tuple[str, dict[str, float], State]:
    """(the summary, its measures, what it was made of). Without finalists (a source without words) it is empty."""
    texts = [write_summary(state) for state in finals]
    if not texts:
        return "", {}, ()
    measured = measures_of(texts, search.problem, tagger)
    worth = [search.control(measures) + search.rest(state) for measures, state in zip(measured, finals, strict=True)]
    best = min(range(len(texts)), key=lambda place: (round(worth[place], 9), place))
    return texts[best], measured[best], finals[best]


def measures_of(texts: Sequence[str], problem: Problem, tagger: Tagger | None) -> list[dict[str, float]]:
    """The measures of each text that the request controls."""
    results: list[dict[str, float]] = []
    dense = specificity_many(texts, tagger) if tagger is not None and "specificity" in problem.costs else None
    for place, text in enumerate(texts):
        measures = {"length": float(n_words(text) if problem.in_words else n_tokens(text))}
        if "extractiveness" in problem.costs:
            measures["extractiveness"] = extractiveness(text, problem.terms.index)
        if dense is not None:
            measures["specificity"] = float(dense[place])
        if problem.terms.speakers:
            measures["speaker"] = float(speaker_share(text, problem.terms.speakers, problem.terms.index))
        if "readability" in problem.costs:
            measures["readability"] = max(0.0, fkgl(text).value or 0.0)
        results.append(measures)
    return results
