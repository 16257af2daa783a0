"""Measures the finalists of a search with the real measures and chooses the best one as the summary."""

from collections.abc import Sequence

from epitome.measures import Tagger
from epitome.measures.length import n_tokens
from epitome.measures.overlap import extractiveness
from epitome.measures.readability import fkgl
from epitome.measures.speaker import speaker_share
from epitome.measures.specificity import specificity_many
from epitome.systems.controlled_extract.search import Problem, Search, State
from epitome.systems.controlled_extract.writing import write_summary
from epitome.text.words import n_words


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
    for index, text in enumerate(texts):
        measures = {"length": float(n_words(text) if problem.in_words else n_tokens(text))}
        if "extractiveness" in problem.costs:
            measures["extractiveness"] = extractiveness(text, problem.terms.index)
        if dense is not None:
            measures["specificity"] = dense[index].value or 0.0
        if problem.terms.speakers:
            measures["speaker"] = float(speaker_share(text, problem.terms.speakers, problem.terms.index))
        if "readability" in problem.costs:
            measures["readability"] = max(0.0, fkgl(text).value or 0.0)
        results.append(measures)
    return results
