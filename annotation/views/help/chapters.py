"""The chapters of the help: the Markdown files of docs/, as they come with the code. Each app registers its own."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext_lazy

from annotation.extension_points import ExtensionPoint

MOST_HITS = 30
SNIPPET = 160
"""Characters of a passage that search shows."""
GROUPS = {
    "roles": gettext_lazy("By role"),
    "numbers": gettext_lazy("Rounds, systems, numbers"),
    "files": gettext_lazy("Files and scripts"),
    "site": gettext_lazy("Running Epitome"),
}
_DOCUMENT_LINK = re.compile(r"\]\((?:\./)?([a-z-]+)\.md(#[^)]*)?\)")
_IMAGE = re.compile(r"!\[([^\]]*)\]\([^)]*\)\n*")
_HEADING = re.compile(r"^#{1,4}\s+(.*)$", re.MULTILINE)
_MARKS = re.compile(r"[*_`|>#]+|\]\([^)]*\)|\[")


@dataclass(frozen=True, slots=True)
class ChapterPlace:
    """Where the help lists a chapter. name: of its file. order: its place in the group, a key of GROUPS."""

    name: str
    group: str
    order: int


@dataclass(frozen=True, slots=True)
class PageChapter:
    """The chapter about a page. page: a URL name."""

    page: str
    chapter: str


CHAPTERS = ExtensionPoint[ChapterPlace]("help chapters", key=lambda place: place.name)
PAGE_CHAPTERS = ExtensionPoint[PageChapter]("chapters of pages", key=lambda page_chapter: page_chapter.page)


def register_chapters(group: str, names: Mapping[int, str]) -> None:
    """Place -> name of the chapters that an app adds to a group."""
    for order, name in names.items():
        CHAPTERS.register(ChapterPlace(name, group, order))


def register_pages(chapter: str, *pages: str) -> None:
    """The pages that a chapter is about; `admin` is the chapter of all other pages of a project."""
    for page in pages:
        PAGE_CHAPTERS.register(PageChapter(page, chapter))


@dataclass(frozen=True, slots=True)
class Chapter:
    """One file: its title and its text with links to other chapters as paths of this site."""

    name: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that has all words of a search. heading: the one it is under."""

    chapter: Chapter
    heading: str
    snippet: str


@cache
def load_chapters() -> dict[str, Chapter]:
    """Every chapter by name; a file that is not there is left out."""
    folder = Path(settings.SITE_FILES) / "docs"
    paths = {name: folder / f"{name}.md" for group in GROUPS for name in list_names(group)}
    return {name: _read_chapter(name, path) for name, path in paths.items() if path.is_file()}


def list_names(group: str) -> list[str]:
    """The chapters of a group in their order."""
    return [place.name for place in sorted(CHAPTERS, key=lambda place: place.order) if place.group == group]


def _read_chapter(name: str, path: Path) -> Chapter:
    text = _IMAGE.sub("", path.read_text(encoding="utf-8"))
    title = next(iter(_HEADING.findall(text)), name).replace("`", "")
    return Chapter(name, title, _DOCUMENT_LINK.sub(_link_chapter, text))


def _link_chapter(link: re.Match[str]) -> str:
    return f"]({reverse('help-chapter', args=[link[1]])})" if link[1] in CHAPTERS else link[0]


def find_passages(query: str) -> list[Hit]:
    """Paragraphs and rows with all the words of the query, in any case; those under a fitting heading first."""
    words = query.casefold().split()
    if not words:
        return []
    hits: list[tuple[int, int, Hit]] = []
    for chapter in load_chapters().values():
        heading = chapter.title
        for passage in re.split(r"\n\s*\n", chapter.text):
            heading = next(iter(_HEADING.findall(passage)), heading)
            plain = " ".join(_MARKS.sub(" ", passage).split())
            folded = f"{heading} {plain}".casefold()
            if all(word in folded for word in words):
                in_heading = sum(word in heading.casefold() for word in words)
                hits.append((-in_heading, len(hits), Hit(chapter, heading, _cut_snippet(plain, words))))
    return [hit for _rank, _place, hit in sorted(hits, key=lambda ranked: ranked[:2])[:MOST_HITS]]


def _cut_snippet(plain: str, words: list[str]) -> str:
    """About SNIPPET characters around the first of the words."""
    folded = plain.casefold()
    first = min((folded.find(word) for word in words if word in folded), default=0)
    start = max(0, plain.rfind(" ", 0, max(1, first - SNIPPET // 3)) + 1)
    end = start + SNIPPET
    return ("… " if start else "") + plain[start:end].rstrip() + (" …" if end < len(plain) else "")
