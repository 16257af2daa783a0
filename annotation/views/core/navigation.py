"""Context of the page layout: theme, project, navigation by role."""

from dataclasses import dataclass
from functools import cached_property
from typing import cast

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import Project, Role
from annotation.services.accounts import second_factor
from annotation.services.core import access
from annotation.services.core.errors import NotFound

THEMES = ("light", "dark")
PEOPLE_PAGES = ("invitations", "crowd-links", "withdrawals")
PROJECT_PAGES = {
    "members",
    *PEOPLE_PAGES,
    "schema",
    "project-guideline",
    "affected",
    "project-settings",
    "audit",
}

SOURCE_PAGES = ("document", "import", "import-check", "import-result", "sources-licence", "select")
PILOT_PAGES = ("pilot-choose", "pilot-add", "pilot-compare", "pilot-candidate")
STAFF_PAGES = (
    *PILOT_PAGES,
    *("pilot", "overlap", "overlap-compare"),
    *("questions", "question", "annotations", "skips", "ledger", "steering"),
)
SYSTEM_PAGES = (
    *("system", "system-new", "runs", "run", "runs-compare", "run-upload"),
    *("sample-outputs", "trainings", "training", "project-tables"),
)
ROUND_PAGES = ("round-new", "round", "round-report", "round-disagreements")
RATING_PAGES = ("item", "round-instructions", "round-qualification")
INSPECTION_PAGES = ("inspect", "inspection-week", "inspection-acceptance")


@dataclass(frozen=True)
class Item:
    """One entry of a navigation; `current` is "page", "true" (a page below it) or ""."""

    label: str
    url: str
    current: str = ""


class ProjectRequest(HttpRequest):
    """What `set_project` adds to a request, for the type checker: Django builds the requests."""

    project: Project
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
        if not self.request.user.is_authenticated:
            return []
        if self.project is None:
            return [self._item(_("Projects"), "home")]
        items = []
        if Role.ANNOTATOR.value in self.roles:
            items += [self._in(_("My work"), "work", below=("task", "finished")), self._in(_("Guideline"), "guideline")]
        if Role.RATER.value in self.roles and not self.is_staff:
            items.append(self._in(_("My rounds"), "rating", below=RATING_PAGES))
        if self.is_staff:
            items += [
                self._in(_("Overview"), "project", below=STAFF_PAGES),
                self._in(_("Sources"), "documents", below=SOURCE_PAGES),
                self._in(_("Samples"), "samples"),
                self._in(_("Inspection"), "inspection", below=INSPECTION_PAGES),
                self._in(_("Statistics"), "statistics"),
            ]
        if self.makes:
            items += [
                self._in(_("Systems"), "systems", below=SYSTEM_PAGES),
                self._in(_("Rounds"), "rounds", below=ROUND_PAGES),
                self._in(_("Jobs"), "jobs", below=("job",)),
                self._in(_("Export"), "export"),
                self._in(_("Set-up"), "members" if self.administers else "schema", below=tuple(PROJECT_PAGES)),
            ]
        if not items:
            items = [self._item(_("Projects"), "home")]
        return items

    @cached_property
    def tabs(self) -> list[Item]:
        """Tabs under "Set-up", by role."""
        if self.project is None or not self.makes:
            return []
        shared = [self._in(_("Schema"), "schema"), self._in(_("Guideline"), "project-guideline")]
        if not self.administers:
            return shared
        return [
            self._in(_("Members"), "members", below=PEOPLE_PAGES),
            *shared,
            self._in(_("Settings"), "project-settings"),
            self._in(_("Audit log"), "audit"),
        ]

    @cached_property
    def people_tabs(self) -> list[Item]:
        """Tabs under "Members"."""
        if self.project is None or not self.administers:
            return []
        return [
            self._in(_("All members"), "members"),
            self._in(_("Invitation links"), "invitations"),
            self._in(_("Crowd links"), "crowd-links"),
            self._in(_("Withdrawals"), "withdrawals"),
        ]

    @property
    def has_second_factor(self) -> bool:
        """Whether the site offers a second factor."""
        return second_factor.get_mode() != second_factor.OFF

    @cached_property
    def staff_tabs(self) -> list[Item]:
        """Tabs under \"Overview\", by role."""
        if self.project is None or not self.is_staff:
            return []
        items = [self._in(_("At a glance"), "project"), self._in(_("Summaries"), "annotations")]
        items += [self._in(_("Skips"), "skips"), self._in(_("Questions"), "questions", below=("question",))]
        items += [self._in(_("Pilot"), "pilot", below=PILOT_PAGES)]
        items += [self._in(_("Overlap"), "overlap", below=("overlap-compare",))]
        if self.makes:
            items += [self._in(_("Ledger"), "ledger"), self._in(_("Steering"), "steering")]
        return items

    @property
    def _here(self) -> str:
        match = self.request.resolver_match
        return (match.url_name or "") if match else ""

    def _item(self, label: str, name: str) -> Item:
        return Item(label, reverse(name), "page" if self._here == name else "")

    def _in(self, label: str, name: str, *, below: tuple[str, ...] = ()) -> Item:
        assert self.project is not None
        current = "page" if self._here == name else "true" if self._here in below else ""
        return Item(label, reverse(name, args=[self.project.slug]), current)


def set_project(request: HttpRequest, project: Project, roles: frozenset[str] | None = None) -> None:
    """Set the project of the request, for the page layout; the roles too, where they are already loaded."""
    project_request = cast(ProjectRequest, request)
    project_request.project = project
    if roles is not None:
        project_request.project_roles = roles


def page_context(request: HttpRequest) -> dict[str, Page]:
    """Context processor: `page` in every template."""
    return {"page": Page(request)}
