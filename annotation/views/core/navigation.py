"""Context of the page layout: theme, project, navigation by role."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import cast

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotation.kinds import get_task_kind
from annotation.models import Project, Role
from annotation.services.accounts import second_factor
from annotation.services.core import access
from annotation.services.core.errors import NotFound
from annotation.services.core.kind_words import name_list
from annotation.services.core.word_patterns import put_in_brackets
from annotation.services.staff import pipeline_counts
from annotation.services.staff.header_counts import HeaderCounts, count_header, count_resubmitted
from annotation.views.core.badges import Badge, build_badge, join_badges
from annotation.views.core.sections import JOBS, SECTIONS, SETTINGS, OwnPage, Section, Tab, list_own_pages
from annotation.views.help.chapters import PAGE_CHAPTERS

THEMES = ("light", "dark")


@dataclass(frozen=True)
class Item:
    """One entry of a navigation; `current` is "page", "true" (a page below it) or "". badge: what waits there."""

    label: str
    url: str
    current: str = ""
    badge: Badge | None = None

    @property
    def marked_label(self) -> SafeString:
        """The label and its badge, as HTML."""
        if self.badge is None:
            return conditional_escape(self.label)
        return format_html(
            '{}<span class="badge" aria-hidden="true">{}</span><span class="visually-hidden"> {}</span>',
            *(self.label, self.badge.shown, put_in_brackets(self.badge.label)),
        )


@dataclass(frozen=True)
class Bell:
    """The jobs in the header: in progress, and failed since the person last looked."""

    under_way: Badge | None
    failed: Badge | None

    @property
    def badge(self) -> Badge | None:
        return join_badges((self.under_way, self.failed))

    @property
    def label(self) -> str:
        return _label_jobs(self.badge)

    @property
    def seen_label(self) -> str:
        """The label once the person has looked."""
        return _label_jobs(self.under_way)


def _label_jobs(badge: Badge | None) -> str:
    return _("Jobs: %(waiting)s") % {"waiting": badge.label} if badge else _("Jobs")


class ProjectRequest(HttpRequest):
    """What `set_project` adds to a request, for the type checker: Django builds the requests."""

    project: Project
    tab: str
    project_roles: frozenset[str]


class Page:
    """Layout context of a page; lazy, so that partials and redirects run no query."""

    def __init__(self, request: HttpRequest) -> None:
        self.request = request

    @cached_property
    def theme(self) -> str:
        chosen = self.request.COOKIES.get("theme", "")
        return chosen if chosen in THEMES else ""

    @cached_property
    def project(self) -> Project | None:
        """The project set by the view (see `set_project`), or the one in the URL if the user has access to it."""
        project: Project | None = getattr(self.request, "project", None)
        match = self.request.resolver_match
        if project is not None or match is None or "slug" not in match.kwargs:
            return project
        if not self.request.user.is_authenticated:
            return None
        try:
            return access.project_for(self.request.user, match.kwargs["slug"])
        except NotFound:
            return None

    @cached_property
    def roles(self) -> frozenset[str]:
        if self.project is None:
            return frozenset()
        known_roles: frozenset[str] | None = getattr(self.request, "project_roles", None)
        return access.roles_of(self.request.user, self.project) if known_roles is None else known_roles

    @cached_property
    def is_staff(self) -> bool:
        return bool(self.roles & {role.value for role in access.STAFF})

    @cached_property
    def makes(self) -> bool:
        """May import, sample and export."""
        return bool(self.roles & {role.value for role in access.MAKERS})

    @cached_property
    def administers(self) -> bool:
        return Role.ADMIN.value in self.roles

    @property
    def initials(self) -> str:
        user = self.request.user
        first, last = getattr(user, "first_name", ""), getattr(user, "last_name", "")
        return (first[:1] + last[:1] or user.get_username()[:2]).upper()

    @cached_property
    def nav(self) -> list[Item]:
        """The main navigation: sections for staff with the pages of their own tasks, else the person's own pages."""
        if not self.request.user.is_authenticated:
            return []
        if self.project is None:
            return [self._item(_("Projects"), "home")]
        if self.is_staff:
            sections = [item for section in SECTIONS if (item := self._section_item(section)) is not None]
            return sections + [self._own_item(page) for page in self._work_pages]
        return self.own_pages or [self._item(_("Projects"), "home")]

    @cached_property
    def waiting(self) -> HeaderCounts:
        """What waits, in one query; nothing for nobody and on quiet pages."""
        user = self.request.user
        if not isinstance(user, User) or self._is_quiet:
            return HeaderCounts(may_see_jobs=self.makes)
        return count_header(user, self.project)

    @cached_property
    def bell(self) -> Bell | None:
        """The jobs of all projects in which the person may see them; None for everybody else."""
        if not self.waiting.may_see_jobs:
            return None
        return Bell(
            build_badge("jobs_under_way", self.waiting.jobs_under_way),
            build_badge("jobs_failed", self.waiting.jobs_failed),
        )

    @cached_property
    def _open_rounds(self) -> int:
        """Open rounds of the project in which something waits for this person; one query. Staff see them on Home."""
        user = self.request.user
        if self.project is None or self.is_staff or not isinstance(user, User) or self._is_quiet:
            return 0
        return pipeline_counts.count_open_rounds(user, [self.project.pk]).get(self.project.pk, 0)

    def _build_badge(self, kind: str) -> Badge | None:
        if kind == "rounds":
            return build_badge(kind, self._open_rounds)
        return build_badge(kind, self._resubmitted if kind == "resubmitted" else getattr(self.waiting, kind))

    def _tab_badge(self, tab: Tab) -> Badge | None:
        return self._build_badge(tab.waits) if tab.waits else None

    @cached_property
    def _resubmitted(self) -> int:
        """Revised summaries to inspect in the project, for staff; one query."""
        if self.project is None or self._is_quiet:
            return 0
        return count_resubmitted(self.project)

    @cached_property
    def own_pages(self) -> list[Item]:
        """What the person writes and rates."""
        if self.project is None:
            return []
        return [self._own_item(page) for page in list_own_pages() if page.role.value in self.roles]

    @cached_property
    def menu_pages(self) -> list[Item]:
        """Own pages that are in the account menu of staff, not in the main navigation."""
        names = {page.name for page in self._work_pages}
        pages = (page for page in list_own_pages() if page.role.value in self.roles and page.name not in names)
        return [self._own_item(page) for page in pages] if self.is_staff else []

    @cached_property
    def _work_pages(self) -> list[OwnPage]:
        """The pages on which this member of the staff finds tasks of their own."""
        if self.project is None:
            return []
        roles = self.roles
        if getattr(self.request.user, "is_superuser", False):
            roles = access.given_roles(self.request.user, self.project)
        return [page for page in list_own_pages() if page.enters and page.role.value in roles]

    def _own_item(self, page: OwnPage) -> Item:
        badge = join_badges(self._build_badge(kind) for kind in page.waits)
        return self._in(str(page.label), page.name, below=page.below, badge=badge)

    @cached_property
    def every_page(self) -> list[tuple[str, Item]]:
        """(section, entry) of every page that the person may open from here; "" for pages outside of a section."""
        entries = [("", item) for item in self.own_pages]
        for section in (*SECTIONS, SETTINGS, JOBS) if self.project is not None else ():
            for tab in self._seen_tabs(section):
                entries.append((str(section.label), self._in(str(tab.label), tab.name)))
        entries += [("", self._item(_("Projects"), "home")), ("", self._item(_("Help"), "help"))]
        if access.may_create_projects(self.request.user):
            entries.append(("", self._item(_("New project"), "project-new")))
        return [*entries, ("", self._item(_("Tokens for scripts"), "tokens"))]

    @cached_property
    def settings(self) -> Item | None:
        return self._section_item(SETTINGS)

    @cached_property
    def jobs(self) -> Item | None:
        return self._section_item(JOBS)

    @property
    def help_url(self) -> str:
        """The chapter about this page; the list of all where there is none."""
        if self._here in PAGE_CHAPTERS:
            chapter = PAGE_CHAPTERS[self._here].chapter
        else:
            chapter = "admin" if self.is_staff else ""
        return reverse("help-chapter", args=[chapter]) if chapter else reverse("help")

    @cached_property
    def section(self) -> str:
        """The name of the section that the page belongs to; "" outside."""
        return str(self._open_section.label) if self._open_section else ""

    @cached_property
    def tabs(self) -> list[Item]:
        """The pages of the section that the page belongs to, by role; a single one is no tab."""
        if self.project is None or self._open_section is None:
            return []
        tabs = [
            self._in(self._label_tab(tab), tab.name, below=tab.below, badge=self._tab_badge(tab))
            for tab in self._seen_tabs(self._open_section)
        ]
        return tabs if len(tabs) > 1 else []

    def _label_tab(self, tab: Tab) -> str:
        if tab.noun and self.project is not None:
            return name_list(self.project.kind)
        return str(tab.label)

    @cached_property
    def _open_section(self) -> Section | None:
        for section in (*SECTIONS, SETTINGS):
            if any(self._here in (tab.name, *tab.below) or self._tab == tab.name for tab in section.tabs):
                return section
        return None

    def _seen_tabs(self, section: Section) -> Sequence[Tab]:
        if self.project is None:
            return ()
        return _select_tabs(section, self.roles, self.project.preset, self.project.kind)

    def _section_item(self, section: Section) -> Item | None:
        tabs = self._seen_tabs(section)
        if self.project is None or not tabs:
            return None
        below = tuple(name for tab in tabs for name in (tab.name, *tab.below))
        badge = join_badges([self._tab_badge(tab) for tab in tabs if tab.waits])
        return self._in(str(section.label), tabs[0].name, below=below, badge=badge)

    @property
    def has_second_factor(self) -> bool:
        """Whether the site offers a second factor."""
        return second_factor.get_mode() != second_factor.OFF

    @property
    def has_password(self) -> bool:
        """Whether the person signs in with a password of this site, which can be changed."""
        user = self.request.user
        return bool(settings.EPITOME_PASSWORD_SIGN_IN and isinstance(user, User) and user.has_usable_password())

    @cached_property
    def _here(self) -> str:
        match = self.request.resolver_match
        return (match.url_name or "") if match else ""

    @property
    def _tab(self) -> str:
        """The tab that the view says its page belongs to; "" where its address says so."""
        return str(getattr(self.request, "tab", ""))

    @cached_property
    def _is_quiet(self) -> bool:
        """Whether this is a page of people at work: nothing is counted for its header."""
        return any(self._here in page.quiet for page in list_own_pages())

    def _item(self, label: str, name: str) -> Item:
        return Item(label, reverse(name), "page" if self._here == name else "")

    def _in(self, label: str, name: str, *, below: tuple[str, ...] = (), badge: Badge | None = None) -> Item:
        assert self.project is not None
        is_below = self._here in below or self._tab in (name, *below)
        current = "page" if self._here == name else "true" if is_below else ""
        return Item(label, reverse(name, args=[self.project.slug]), current, badge)


@lru_cache(maxsize=1000)
def _select_tabs(section: Section, roles: frozenset[str], preset: str, kind_name: str) -> tuple[Tab, ...]:
    """The tabs of a section that a project of this preset and kind of task has for somebody with these roles."""
    kind = get_task_kind(kind_name, has_sample=True)
    return tuple(
        tab
        for tab in section.tabs
        if roles & {role.value for role in tab.roles}
        and (not tab.presets or preset in tab.presets)
        and (not tab.trait or getattr(kind, tab.trait, False))
    )


def set_project(request: HttpRequest, project: Project, roles: frozenset[str] | None = None) -> None:
    """Set the project of the request, for the page layout; the roles too, where they are already loaded."""
    project_request = cast(ProjectRequest, request)
    project_request.project = project
    if roles is not None:
        project_request.project_roles = roles


def get_roles(request: HttpRequest) -> frozenset[str]:
    """The roles in the project of a request, which its view has set."""
    return Page(request).roles


def set_tab(request: HttpRequest, name: str) -> None:
    """Show the page as one below this tab, for pages that belong to another one each time."""
    cast(ProjectRequest, request).tab = name


def page_context(request: HttpRequest) -> dict[str, Page]:
    """Context processor: `page` in every template."""
    return {"page": Page(request)}
