"""Introduction and conclusion of a paper, which are the source in CCSBench (arXiv 2410.12601, section 3.2)."""

import re
from dataclasses import dataclass

from epitome.formats.papers.paper import Paper, Section

_NUMBER = re.compile(r"^\s*(?:\d+(?:\.\d+)*|[IVX]+)[.:)]?\s+", re.IGNORECASE)
_INTRODUCTION = re.compile(r"introduction\b", re.IGNORECASE)
_CONCLUSION = re.compile(
    r"conclusions?\b|concluding\s+remarks\b|discussion\s+and\s+conclusions?\b|summary(\s+and\s+(discussion|conclusions?))?$",
    re.IGNORECASE,
)
REASONS = {
    "no introduction": "no section is titled introduction",
    "no conclusion": "no section after the introduction is titled conclusion, concluding remarks or summary",
    "no abstract": "the file gives no abstract",
}


@dataclass(frozen=True, slots=True)
class Chosen:
    """The two sections, which are different."""

    introduction: Section
    conclusion: Section


@dataclass(frozen=True, slots=True)
class LeftOutPaper:
    """reason: one of REASONS."""

    paper: Paper
    reason: str


def choose_parts(paper: Paper) -> Chosen | LeftOutPaper:
    """The first introduction and the last conclusion with words in them; a paper without one, or without an abstract,
    is left out. Titles may be numbered and may go on ("Conclusion and future work")."""
    introduction = next((index for index, section in enumerate(paper.sections) if _is(section, _INTRODUCTION)), None)
    if introduction is None:
        return LeftOutPaper(paper, "no introduction")
    conclusions = [index for index, section in enumerate(paper.sections) if _is(section, _CONCLUSION)]
    if not conclusions or conclusions[-1] <= introduction:
        return LeftOutPaper(paper, "no conclusion")
    if not paper.abstract.strip():
        return LeftOutPaper(paper, "no abstract")
    return Chosen(paper.sections[introduction], paper.sections[conclusions[-1]])


def _is(section: Section, pattern: re.Pattern[str]) -> bool:
    return bool(section.text.strip()) and pattern.match(_NUMBER.sub("", section.title).strip()) is not None
