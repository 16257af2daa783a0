"""Hits in the database: projects, sources, samples, own tasks, people."""

import uuid
from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import Assignment, AssignmentState, Membership, Project, Role, Sample, SourceDocument
from annotation.services.core import access
from annotation.views.core.project_entry import STAFF_ROLES, find_entry_url
from annotation.views.search.kinds import HITS_PER_KIND, Asker, Hit, register_kind

TITLES_SEARCHED = 10_000
"""Of this many of the newest sources the titles are searched; ids are looked up among all."""
OWN_SEARCHED = 500


@register_kind("projects", gettext_lazy("Projects"), order=1)
def find_projects(asker: Asker) -> Iterable[Hit]:
    rows = Project.objects.seen_by(asker.user).filter(archived_at=None, name__icontains=asker.text)
    projects = list(rows.order_by("name", "pk")[:HITS_PER_KIND])
    roles: dict[int, set[str]] = {project.pk: set() for project in projects}
    memberships = Membership.objects.filter(user=asker.user, project__in=projects) if projects else ()
    for membership in memberships:
        roles[membership.project_id].add(membership.role)
    every_role = set(Role.values) if asker.user.is_superuser else set()
    return [Hit(project.name, "", find_entry_url(project.slug, roles[project.pk] | every_role)) for project in projects]


@register_kind("tasks", gettext_lazy("My tasks"), order=3)
def find_own_tasks(asker: Asker) -> Iterable[Hit]:
    """The person's own tasks by their source, among the newest."""
    if asker.project is None or Role.ANNOTATOR.value not in asker.roles:
        return []
    own = Assignment.objects.filter(project=asker.project, annotator=asker.user)
    newest = own.order_by("-pk").values("pk")[:OWN_SEARCHED]
    by_source = Q(group__document__title__icontains=asker.text)
    by_source |= Q(group__document__external_id__startswith=asker.text)
    rows = Assignment.objects.filter(by_source, pk__in=newest).exclude(state=AssignmentState.VOID)
    columns = ("public_id", "state", "group__document__title", "group__document__external_id")
    return [_describe_task(*row) for row in rows.order_by("-pk").values_list(*columns)[:HITS_PER_KIND]]


def _describe_task(public_id: uuid.UUID, state: str, title: str, external_id: str) -> Hit:
    name = "finished" if state in AssignmentState.SUBMITTED_ONCE else "task"
    return Hit(title or external_id, str(AssignmentState(state).label), reverse(name, args=[public_id]))


@register_kind("sources", gettext_lazy("Sources"), order=4)
def find_sources(asker: Asker) -> Iterable[Hit]:
    """Sources by the beginning of their id, then by a part of their title."""
    if asker.project is None or not STAFF_ROLES & asker.roles:
        return []
    rows = _match_sources(asker.project, asker.text)
    return [
        Hit(title or external_id, external_id if title else "", reverse("document", args=[asker.project.slug, key]))
        for key, external_id, title in rows
    ]


def _match_sources(project: Project, text: str) -> list[Any]:
    columns = ("public_id", "external_id", "title")
    sources = SourceDocument.objects.filter(project=project)
    by_id = Q(external_id__startswith=text)
    if public_id := _parse_uuid(text):
        by_id |= Q(public_id=public_id)
    rows = list(sources.filter(by_id).order_by("external_id").values_list(*columns)[:HITS_PER_KIND])
    if len(rows) < HITS_PER_KIND:
        newest = sources.order_by("-pk").values("pk")[:TITLES_SEARCHED]
        by_title = SourceDocument.objects.filter(pk__in=newest, title__icontains=text).order_by("pk")
        rows += [row for row in by_title.values_list(*columns)[:HITS_PER_KIND] if row not in rows]
    return rows[:HITS_PER_KIND]


@register_kind("samples", gettext_lazy("Samples"), order=5)
def find_samples(asker: Asker) -> Iterable[Hit]:
    """Samples by their own id or that of their source, with or without the number after #, or by a source's title."""
    if asker.project is None or not STAFF_ROLES & asker.roles:
        return []
    columns = ("document__external_id", "position", "combination", "document__title")
    rows = _select_samples(asker.project, asker.text).order_by("document__external_id", "position")
    return [
        Hit(
            f"{external_id}#{position}",
            " · ".join(filter(None, (title, combination))),
            f"{reverse('samples', args=[asker.project.slug])}?{urlencode({'source': external_id})}",
        )
        for external_id, position, combination, title in rows.values_list(*columns)[:HITS_PER_KIND]
    ]


def _select_samples(project: Project, text: str) -> "QuerySet[Sample]":
    samples = Sample.objects.requests().filter(project=project)
    if public_id := _parse_uuid(text):
        return samples.filter(public_id=public_id)
    external_id, mark, number = text.rpartition("#")
    if mark and number.isascii() and number.isdigit():
        return samples.filter(document__external_id__startswith=external_id, position=int(number[:9]))
    keys = [row[0] for row in _match_sources(project, text)]
    return samples.filter(document__public_id__in=keys)


def _parse_uuid(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


@register_kind("people", gettext_lazy("People"), order=6)
def find_people(asker: Asker) -> Iterable[Hit]:
    """Members by their name, for admins, who alone see the list of members."""
    if asker.project is None or not {role.value for role in access.ADMINS} & asker.roles:
        return []
    members = Membership.objects.filter(project=asker.project)
    people = User.objects.filter(pk__in=members.values("user"), username__icontains=asker.text)
    names = people.order_by("username").values_list("username", flat=True)[:HITS_PER_KIND]
    address = reverse("members", args=[asker.project.slug])
    return [Hit(name, _("Members"), f"{address}?{urlencode({'q': name})}") for name in names]
