"""Importing papers: introduction and conclusion as the source, the abstract as its human summary (CCSBench)."""

import fnmatch
import json
import random
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from annotation.formats.papers import Chosen, LeftOutPaper, Paper, PaperFault, Section, choose_parts, read_papers
from annotation.formats.papers.choosing import REASONS
from annotation.jobs import Progress
from annotation.models import Project
from annotation.services.core.errors import BadInput
from annotation.services.core.word_patterns import join_names
from annotation.services.sources.import_types import ImportOptions, ImportReport
from annotation.services.sources.importing import import_file
from annotation.text.sentences import segments_of

MAPPING = {"id": "id", "title": "title", "segments": "segments", "summary": "summary"}


@dataclass(frozen=True)
class PaperOptions:
    """categories: patterns such as cs.*, of which a paper must meet one; empty: any paper. sample: at most so many of
    the papers that have all parts, drawn with the seed; None: all. options: of the import."""

    categories: tuple[str, ...] = ()
    sample: int | None = None
    seed: int = 0
    options: ImportOptions = field(default_factory=ImportOptions)


@dataclass(frozen=True)
class PaperReport:
    """read: papers in the files. left_out: reason -> how many. examples: reason -> places of the first ten.
    not_drawn: left out by the sample. without_keywords: of those imported."""

    read: int
    left_out: dict[str, int]
    examples: dict[str, list[str]]
    not_drawn: int
    without_keywords: int
    stored: ImportReport

    def as_dict(self) -> dict[str, Any]:
        told = {"read": self.read, "left_out": self.left_out, "not_drawn": self.not_drawn}
        return {**told, "without_keywords": self.without_keywords, "import": self.stored.as_dict()}


def import_papers(
    *, project: Project, files: Sequence[tuple[Path, str]], options: PaperOptions, progress: Progress
) -> PaperReport:
    """Read the files, choose and draw, then import what is left: all of it or nothing. files: (path, name).

    Raises BadInput naming file and place, for a doubled id too; ImportRefused as `import_file` does.
    """
    if options.sample is not None and options.sample < 1:
        raise BadInput(_("Draw at least one paper."), field="sample")
    selection = _select_papers(files, options)
    if not selection.rows:
        raise BadInput(_("No paper is left to import: %(why)s.") % {"why": _describe(selection.left_out)}, field="file")
    rows, not_drawn = _draw(selection.rows, options)
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as staged:
        staged.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        staged.flush()
        name = files[0][1] if len(files) == 1 else f"{files[0][1]} and {len(files) - 1} more"
        how = replace(options.options, format="jsonl", mapping=MAPPING, with_references=True, exact_mapping=True)
        stored = import_file(project=project, path=Path(staged.name), file_name=name, options=how, progress=progress)
    without = sum(not row["keywords"] for row in rows)
    return PaperReport(selection.read, dict(selection.left_out), selection.examples, not_drawn, without, stored)


@dataclass
class _Selection:
    read: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)

    def leave_out(self, reason: str, paper: Paper) -> None:
        self.left_out[reason] += 1
        places = self.examples.setdefault(reason, [])
        if len(places) < 10:
            places.append(f"{paper.place} ({paper.key})")


def _select_papers(files: Sequence[tuple[Path, str]], options: PaperOptions) -> _Selection:
    selection = _Selection()
    places: dict[str, str] = {}
    for paper in _read_all(files):
        selection.read += 1
        if paper.key in places:
            values = {"key": paper.key[:60], "first": places[paper.key], "second": paper.place}
            raise BadInput(_("Two papers have the id %(key)s: %(first)s and %(second)s.") % values, field="file")
        places[paper.key] = paper.place
        if not _is_of(paper.categories, options.categories):
            selection.leave_out("category", paper)
            continue
        chosen = choose_parts(paper)
        if isinstance(chosen, LeftOutPaper):
            selection.leave_out(chosen.reason, paper)
        else:
            selection.rows.append(_build_row(paper, chosen))
    return selection


def _read_all(files: Sequence[tuple[Path, str]]) -> Iterator[Paper]:
    try:
        for path, name in files:
            yield from read_papers(path, name)
    except PaperFault as error:
        raise BadInput(str(error)[:480], field="file") from error


def _is_of(categories: Iterable[str], patterns: Sequence[str]) -> bool:
    return not patterns or any(fnmatch.fnmatchcase(name, pattern) for name in categories for pattern in patterns)


def _build_row(paper: Paper, chosen: Chosen) -> dict[str, Any]:
    """One line of the staged file: a sentence per segment, first the introduction, then the conclusion. `parts` in the
    metadata says which segments are which (first and last, from 0)."""
    introduction, conclusion = (_sentences(section) for section in (chosen.introduction, chosen.conclusion))
    border = len(introduction)
    return {
        "id": paper.key,
        "title": paper.title,
        "segments": [{"speaker": "", "text": text} for text in [*introduction, *conclusion]],
        "summary": paper.abstract,
        "abstract": paper.abstract,
        "keywords": list(paper.keywords),
        "categories": list(paper.categories),
        "parts": {"introduction": [0, border - 1], "conclusion": [border, border + len(conclusion) - 1]},
    }


def _sentences(section: Section) -> list[str]:
    return [segment["text"] for segment in segments_of(section.text)]


def _draw(rows: list[dict[str, Any]], options: PaperOptions) -> tuple[list[dict[str, Any]], int]:
    """A seeded sample in file order. It depends on the ids alone, not on the order of the files."""
    if options.sample is None or len(rows) <= options.sample:
        return rows, 0
    keys = sorted(row["id"] for row in rows)
    drawn = set(random.Random(options.seed).sample(keys, options.sample))
    return [row for row in rows if row["id"] in drawn], len(rows) - options.sample


def _describe(left_out: Counter[str]) -> str:
    words = {"category": _("of another category"), **REASONS}
    return join_names(f"{n} × {words[reason]}" for reason, n in left_out.items()) or _("the files hold none")
