"""The reviewers' inspection queue, the weekly progress per annotator, and acceptance of a week."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from annotation.models import AssignmentState, InspectionSample, Project, Verdict
from annotation.services.core import access
from annotation.services.core.errors import NotFound, ServiceError
from annotation.services.core.kept_results import keep_while_unchanged
from annotation.services.core.kind_words import name_finished
from annotation.services.core.pseudonyms import Pseudonyms
from annotation.services.inspection import acceptance as acceptance
from annotation.services.inspection import queue as queue_service
from annotation.services.inspection import weekly_sample
from annotation.services.inspection.queue import FAILED, NOTHING, PASSED, WAITING, WeekProgress
from annotation.services.inspection.weekly_sample import LEAST, PASS, SHARE, TWICE
from annotation.services.staff.header_counts import count_resubmitted
from annotation.views.core.decorators import current_user, project_page
from annotation.views.core.pagination import filters_of, paginate_rows
from annotation.views.inspection.forms import QueueFilters
from annotation.views.inspection.messages import VerdictLine, build_verdict_line, criterion_labels
from epitome.figures.numbers import format_percent

RULE = {"share": SHARE, "least": LEAST, "twice": TWICE, "passing": PASS}
AGAIN_SHOWN = 20


class StandingLine(TypedDict):
    """An annotator's week. query: of the page, for this annotator only. option, is_chosen: as a choice of the filter.
    Numbers are written, "" for a sample of none. css_class, icon, outcome: of the week. act: what to do with it, if
    anything."""

    query: str
    pseudonym: str
    writer: str
    option: str
    is_chosen: bool
    handed_in: str
    to_inspect: str
    inspected: str
    inspected_of: str
    share: str
    css_class: str
    icon: str
    outcome: str
    undecided: str
    act: str
    act_url: str


class QueueLine(TypedDict):
    """One line of the queue. url: of the revision to open. writer: a letter in words; "" where the week has none for
    the pseudonym. css_class, icon, verdict: "" while open. later: the deciding verdict on a newer revision, if it
    differs. waits: its writer is revising it."""

    name: str
    url: str
    writer: str
    pseudonym: str | None
    review: str
    css_class: str
    icon: str
    verdict: str
    later: VerdictLine | None
    open_here: bool
    waits: bool


@project_page(access.STAFF)
def inspection_queue(request: HttpRequest, project: Project) -> HttpResponse:
    values = filters_of(request, QueueFilters).cleaned_data
    running = weekly_sample.week_of(timezone.now(), project)
    drawn_weeks = queue_service.load_drawn_weeks(project)
    week = values["week"] or queue_service.week_to_open(project, now_week=running)
    standings = queue_service.keep_progress(project, week)
    names = {standing.pseudonym: standing.annotator for standing in standings}
    annotator = names.get(values["annotator"], 0) if values["annotator"] else None
    reviewer = current_user(request)
    queue = queue_service.select_queue(
        project=project, reviewer=reviewer, week=week, annotator=annotator, state=values["state"]
    )
    page = paginate_rows(request, queue, project=project)
    lines = _build_lines(page, project, reviewer, _name_writers(standings))
    sent_again = list(queue_service.list_resubmitted(project)[:AGAIN_SHOWN]) if count_resubmitted(project) else []
    context = {
        "project": project,
        "rule": RULE,
        "suggests_texts": project.assistance in Project.Assistance.SUGGESTING,
        "week": week,
        "weeks": sorted({*drawn_weeks, running}, reverse=True),
        "running": running,
        "drawn": drawn_weeks.get(week),
        "standings": _build_standings(project, week, standings, values["annotator"]),
        "values": values,
        "rows": page,
        "lines": lines,
        "again": sent_again,
        "next": any(line["open_here"] for line in lines)
        or queue_service.has_next(
            project=project, reviewer=reviewer, resubmitted=sent_again, is_all=len(sent_again) < AGAIN_SHOWN
        ),
        "agreement": _list_agreement(project),
    }
    return render(request, "annotation/inspection/inspection.html", context)


def _name_writers(standings: Iterable[WeekProgress]) -> dict[int, str]:
    writer = _("Writer %(letter)s")
    return {standing.annotator: writer % {"letter": standing.letter} for standing in standings}


def _build_standings(project: Project, week: str, standings: Sequence[WeekProgress], chosen: str) -> list[StandingLine]:
    outcomes = {
        PASSED: ("ok", "check", pgettext("week", "passed"), _("Accept week…")),
        FAILED: ("warn", "warn", pgettext("week", "failed"), _("Inspect completely…")),
        WAITING: ("", "sync", _("being inspected"), ""),
        NOTHING: ("", "open", _("not drawn"), ""),
    }
    in_full, option, inspected_of = (
        _("failed, inspected completely"),
        _("Writer %(letter)s, %(name)s"),
        _("%(done)s of %(all)s"),
    )
    writers, week_url = _name_writers(standings), reverse("inspection-week", args=[project.slug])
    lines = []
    for standing in standings:
        result, query = standing.outcome, f"?week={week}&annotator={standing.pseudonym}"
        css_class, icon, outcome, act = outcomes[result]
        lines.append(
            StandingLine(
                query=query,
                pseudonym=standing.pseudonym,
                writer=writers[standing.annotator],
                option=option % {"letter": standing.letter, "name": standing.pseudonym},
                is_chosen=standing.pseudonym == chosen,
                handed_in=str(standing.handed_in),
                to_inspect=str(standing.to_inspect or ""),
                inspected=str(standing.inspected),
                inspected_of=inspected_of % {"done": standing.inspected, "all": standing.to_inspect},
                share="–" if standing.share is None else format_percent(standing.share, 1),
                css_class=css_class,
                icon=icon,
                outcome=in_full if result == FAILED and standing.in_full else outcome,
                undecided=str(standing.undecided),
                act=act,
                act_url=f"{week_url}{query}",
            )
        )
    return lines


def _build_lines(rows: Iterable[Any], project: Project, reviewer: User, writers: Mapping[int, str]) -> list[QueueLine]:
    names = Pseudonyms(project)
    verdict_lines = {verdict: build_verdict_line("", verdict) for verdict in Verdict.values}
    styles = {verdict: (line.css_class, line.icon, line.verdict_label) for verdict, line in verdict_lines.items()}
    reviews = {InspectionSample.Reason.DRAWN.value: _("first"), InspectionSample.Reason.FULL.value: _("in full")}
    second = _("second")
    lines = []
    for row in rows:
        css_class, icon, verdict = styles.get(row.verdict or "", ("", "", ""))
        has_later = not row.second and row.verdict and row.latest and row.latest != row.verdict
        writer = writers.get(row.annotator_id, "")
        lines.append(
            QueueLine(
                name=f"{row.annotation.sample.document.external_id}#{row.annotation.sample.position}",
                url=reverse("inspect", args=[project.slug, row.annotation.public_id if row.looked else row.newest]),
                writer=writer,
                pseudonym=None if writer else names.of(row.annotator_id),
                review=second if row.second else reviews[row.reason],
                css_class=css_class,
                icon=icon,
                verdict=verdict,
                later=verdict_lines.get(row.latest or "") if has_later else None,
                open_here=queue_service.can_inspect(row, reviewer),
                waits=not row.verdict
                and not row.looked
                and row.annotation.assignment.state == AssignmentState.RETURNED,
            )
        )
    return lines


def _list_agreement(project: Project) -> list[tuple[str, int, int]]:
    """Rows (criterion label, equal verdicts, pairs), overall first; empty without pairs."""
    agreement = keep_while_unchanged(project, ("agreement",), lambda: acceptance.count_agreement(project))
    if not agreement.overall[1]:
        return []
    names = criterion_labels(project.schema_version.schema)
    part_rows = [
        (names.get(key, key), *agreement.parts[key]) for key in acceptance.sort_parts(project, agreement.parts)
    ]
    return [(_("Overall"), *agreement.overall), *part_rows]


@project_page(access.STAFF, methods=("POST",))
def draw_inspections(request: HttpRequest, project: Project) -> HttpResponse:
    week = request.POST.get("week") or weekly_sample.week_of(timezone.now(), project)
    added = weekly_sample.draw_week(project=project, week=week, by=current_user(request))
    message = ngettext("%(n)d inspection was added.", "%(n)d inspections were added.", added) % {"n": added}
    messages.success(request, message)
    return _redirect_to_week(project, week)


def _redirect_to_week(project: Project, week: str) -> HttpResponse:
    address = redirect("inspection", project.slug)
    address["Location"] += f"?week={week}"
    return address


@project_page(access.STAFF, methods=("POST",))
def next_inspection(request: HttpRequest, project: Project) -> HttpResponse:
    """Redirect to this reviewer's next inspection, or back to the queue."""
    public_id = queue_service.next_to_inspect(project=project, reviewer=current_user(request))
    if public_id is None:
        messages.info(request, _("Nothing left to inspect."))
        return redirect("inspection", project.slug)
    return redirect("inspect", project.slug, public_id)


@project_page(access.STAFF, methods=("GET", "HEAD", "POST"))
def annotator_week(request: HttpRequest, project: Project) -> HttpResponse:
    """One annotator's week: progress, and (after this preview) accepting the remaining summaries or inspecting all."""
    params = request.POST if request.method == "POST" else request.GET
    name, pseudonym = params.get("week", ""), params.get("annotator", "")
    if not name or not pseudonym:
        return redirect("inspection", project.slug)
    standing = next((row for row in queue_service.list_progress(project, name) if row.pseudonym == pseudonym), None)
    if standing is None:
        raise NotFound(_("No submissions under this name in that week."))
    if request.method == "POST":
        return _handle_week_action(request, project, name, standing)
    remaining = queue_service.undecided_in_week(project, name, standing.annotator)
    context = {
        "project": project,
        "rule": RULE,
        "week": name,
        "standing": standing,
        "rest": paginate_rows(
            request, remaining.select_related("sample__document").defer("sample__document__metadata_json")
        ),
    }
    return render(request, "annotation/inspection/inspection_week.html", context)


def _handle_week_action(
    request: HttpRequest, project: Project, week: str, standing: queue_service.WeekProgress
) -> HttpResponse:
    annotator, by = standing.annotator, current_user(request)
    expected = request.POST.get("expected", "")
    try:
        if request.POST.get("do") == "accept":
            number = int(expected) if expected.isascii() and expected.isdigit() and len(expected) < 9 else -1
            n = queue_service.accept_undecided(project=project, week=week, annotator=annotator, expected=number, by=by)
            message = ngettext("%(n)d %(noun)s is accepted.", "%(n)d %(noun)s are accepted.", n)
        else:
            n = weekly_sample.inspect_in_full(project=project, week=week, annotator=annotator, by=by)
            message = ngettext("%(n)d inspection was added.", "%(n)d inspections were added.", n)
        messages.success(request, message % {"n": n, "noun": name_finished(project.kind, n)})
    except ServiceError as error:
        messages.error(request, error.message)
    return _redirect_to_week(project, week)


@project_page(access.STAFF)
def acceptance_table(request: HttpRequest, project: Project) -> HttpResponse:
    table = acceptance.count_acceptance(project)
    names = criterion_labels(project.schema_version.schema)
    context = {
        "project": project,
        "heads": [names.get(key, key) for key in table.keys],
        "rows": [
            {"week": week, "annotator": who, "tally": tally, "parts": _count_accepted(tally, table.keys)}
            for week, who, tally in table.rows
        ],
        "total": table.total,
        "totals": _count_accepted(table.total, table.keys),
    }
    return render(request, "annotation/inspection/inspection_acceptance.html", context)


def _count_accepted(tally: acceptance.Tally, keys: list[str]) -> list[tuple[int, int]]:
    """(accepted, inspected) per criterion."""
    return [(tally.parts[key]["accept"], tally.parts[key].total()) if key in tally.parts else (0, 0) for key in keys]
