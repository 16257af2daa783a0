"""The sections of the navigation, and the points at which each app registers its tabs and pages (`navigation.py`)."""

from dataclasses import dataclass, replace
from functools import cache

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from annotation.extension_points import ExtensionPoint
from annotation.models import Role
from annotation.services.core import access


@dataclass(frozen=True)
class Section:
    """An entry of the main navigation with its tabs; it leads to the first one that the person may see."""

    key: str
    label: Promise

    @property
    def tabs(self) -> "tuple[Tab, ...]":
        return _list_tabs(self.key)


@dataclass(frozen=True, eq=False)
class Tab:
    """A page in a section. order: its place there. roles: who sees it. below: URL names of the pages that belong to
    it. waits: the kind of its badge. noun: in a project its label is what the project's kind calls finished tasks.
    presets: only projects that began with one of these schemas have it; empty: all. trait: only projects whose kind
    of task declares it."""

    section: str
    order: int
    label: Promise
    name: str
    roles: tuple[Role, ...] = access.STAFF
    below: tuple[str, ...] = ()
    waits: str = ""
    noun: bool = False
    presets: tuple[str, ...] = ()
    trait: str = ""


@dataclass(frozen=True, eq=False)
class PageBelow:
    """A page that belongs to the tab of a lower app. name, tab: their URL names."""

    name: str
    tab: str


@dataclass(frozen=True, eq=False)
class OwnPage:
    """A page of people at work, for those who have the role. order: its place in their navigation. enters: somebody
    with this role enters a project by it. below: URL names of the pages that belong to it. quiet: those of them whose
    header counts nothing. waits: the kinds of its badge."""

    order: int
    label: Promise
    name: str
    role: Role
    enters: bool = False
    below: tuple[str, ...] = ()
    quiet: tuple[str, ...] = ()
    waits: tuple[str, ...] = ()


TABS = ExtensionPoint[Tab]("tabs", key=lambda tab: tab.name)
PAGES_BELOW = ExtensionPoint[PageBelow]("pages below tabs", key=lambda page: page.name)
OWN_PAGES = ExtensionPoint[OwnPage]("own pages", key=lambda page: page.name)
SECTIONS = (
    Section("overview", gettext_lazy("Overview")),
    Section("data", gettext_lazy("Data")),
    Section("people", gettext_lazy("People")),
    Section("quality", gettext_lazy("Quality")),
    Section("results", gettext_lazy("Results")),
    Section("publish", gettext_lazy("Publish")),
)
"""The main navigation of staff."""
SETTINGS = Section("settings", gettext_lazy("Settings"))
JOBS = Section("jobs", gettext_lazy("Jobs"))


def register_tabs(*tabs: Tab) -> None:
    for tab in tabs:
        TABS.register(tab)


@cache
def _list_tabs(section: str) -> tuple[Tab, ...]:
    """The tabs of a section in their order, with the pages that higher apps put below them."""
    tabs = sorted((tab for tab in TABS if tab.section == section), key=lambda tab: tab.order)
    return tuple(
        replace(tab, below=(*tab.below, *(page.name for page in PAGES_BELOW if page.tab == tab.name))) for tab in tabs
    )


@cache
def list_own_pages() -> tuple[OwnPage, ...]:
    return tuple(sorted(OWN_PAGES, key=lambda page: page.order))
