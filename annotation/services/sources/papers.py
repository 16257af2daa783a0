"""Importing papers: introduction and conclusion as the source, the abstract as its human summary (CCSBench)."""

import fnmatch
import json
import random
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from annotation.jobs import Progress
from annotation.models import Project
from annotation.services.core.errors import BadInput
from annotation.services.core.word_patterns import join_names
from annotation.services.sources.import_types import ImportReport
from annotation.services.sources.importing import import_file
from epitome.formats.options import ImportOptions
from epitome.formats.papers import Chosen, LeftOutPaper, Paper, PaperFault, Section, choose_parts, read_papers
from epitome.formats.papers.choosing import REASONS
from epitome.text.sentences import segments_of

UNREADABLE = "cannot be read"
MAPPING = {"id": "id", "title": "title", "segments": "segments", "summary": "summary"}


@dataclass(frozen=True)
class PaperOptions:
    """categories: patterns such as cs.*, of which a paper must meet one; empty: any paper. sample: at most this many of
    the papers that have all parts, drawn with the seed; None: all. options: of the import."""

    categories: tuple[str, ...] = ()
    sample: int | None = None
    seed: int = 0
    options: ImportOptions = field(default_factory=ImportOptions)


@dataclass(frozen=True)
class PaperReport:
    """read: papers in the files. left_out: reason -> how many. examples: reason -> places of the first ten, or what is
    wrong there. not_drawn: left out by the sample. without_keywords: of those imported. not_read: what the papers hold
    and the readers do not read (files that they include, unknown macros) -> how often."""

    read: int
    left_out: dict[str, int]
    examples: dict[str, list[str]]
    not_drawn: int
    without_keywords: int
    not_read: dict[str, int]
    stored: ImportReport

    def as_dict(self) -> dict[str, Any]:
        counts = {"read": self.read, "left_out": self.left_out, "not_drawn": self.not_drawn}
        counts |= {"without_keywords": self.without_keywords, "not_read": self.not_read}
        return {**counts, "examples": self.examples, "import": self.stored.as_dict()}


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
        raise BadInput(_("No paper is left to import: %(why)s.") % {"why": _describe(selection)}, field="file")
    rows, not_drawn = _draw(selection.rows, options)
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as staged:
        staged.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        staged.flush()
        name = files[0][1] if len(files) == 1 else f"{files[0][1]} and {len(files) - 1} more"
        how = replace(options.options, format="jsonl", mapping=MAPPING, with_references=True, exact_mapping=True)
        stored = import_file(project=project, path=Path(staged.name), file_name=name, options=how, progress=progress)
    without = sum(not row["keywords"] for row in rows)
    return PaperReport(
        read=selection.read,
        left_out=dict(selection.left_out),
        examples=selection.examples,
        not_drawn=not_drawn,
        without_keywords=without,
        not_read=dict(selection.not_read.most_common()),
        stored=stored,
    )


@dataclass
class _Selection:
    read: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)
    not_read: Counter[str] = field(default_factory=Counter)
    rows: list[dict[str, Any]] = field(default_factory=list)

    def leave_out(self, reason: str, place: str) -> None:
        self.left_out[reason] += 1
        places = self.examples.setdefault(reason, [])
        if len(places) < 10:
            places.append(place)


def _select_papers(files: Sequence[tuple[Path, str]], options: PaperOptions) -> _Selection:
    selection = _Selection()
    places: dict[str, str] = {}
    for paper in (paper for path, name in files for paper in read_papers(path, name)):
        selection.read += 1
        if isinstance(paper, PaperFault):
            selection.leave_out(UNREADABLE, str(paper)[:480])
            continue
        selection.not_read.update(paper.left_out)
        if paper.key in places:
            values = {"key": paper.key[:60], "first": places[paper.key], "second": paper.place}
            raise BadInput(_("Two papers have the id %(key)s: %(first)s and %(second)s.") % values, field="file")
        places[paper.key] = paper.place
        if not _is_of(paper.categories, options.categories):
            selection.leave_out("category", _place_of(paper))
            continue
        chosen = choose_parts(paper)
        if isinstance(chosen, LeftOutPaper):
            selection.leave_out(chosen.reason, _place_of(paper))
        else:
            selection.rows.append(_build_row(paper, chosen))
    return selection


def _place_of(paper: Paper) -> str:
    return f"{paper.place} ({paper.key})"


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


def _describe(selection: _Selection) -> str:
    """The reasons with their numbers; of what cannot be read the first place too."""
    words = {"category": _("of another category"), **REASONS}
    if UNREADABLE in selection.examples:
        words[UNREADABLE] = selection.examples[UNREADABLE][0]
    return join_names(f"{n} × {words[reason]}" for reason, n in selection.left_out.items()) or _("the files hold none")
