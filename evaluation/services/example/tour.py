"""The pages of the finished example that show most, for people who may open them."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from annotation.models import Project, Release, Role
from annotation.services.core import access
from annotation.services.statistics import stored
from evaluation.models import Round, RoundState
from evaluation.services.example import finished, rating
from evaluation.services.reports import report_jobs


@dataclass(frozen=True)
class Stop:
    """A page: the name of its URL and what the address needs beside the project. ready: there is something to see.
    roles: who may open it."""

    title: str
    text: str
    url_name: str
    arguments: tuple[str, ...] = ()
    ready: bool = True
    roles: tuple[Role, ...] = access.MAKERS


def list_stops(project: Project, roles: frozenset[str]) -> list[Stop]:
    """The stops that somebody with these roles may open, in their order."""
    return [stop for stop in _all_stops(project) if roles.intersection(stop.roles)]


def _all_stops(project: Project) -> list[Stop]:
    judged = Round.objects.filter(project=project, name=rating.YES_NO, state=RoundState.UNBLINDED).first()
    has_report = judged is not None and report_jobs.stored_report(judged) is not None
    has_runs = finished.has_run(project, finished.SYSTEMS[-1])
    return [
        Stop(
            _("Statistics"),
            _("What was written, how long it is and how well it follows the request."),
            "statistics",
            ready=stored.stored_splits(project) is not None,
            roles=access.STAFF,
        ),
        Stop(
            _("Table of systems"),
            _("Three systems compared with human summaries, with intervals."),
            "project-tables",
            ready=has_runs,
        ),
        Stop(
            _("Report of a round"),
            _("Two raters answered yes or no without knowing who wrote what; now unblinded."),
            "round-report",
            (str(judged.public_id),) if judged is not None else (),
            ready=has_report,
        ),
        Stop(
            _("Inspection"),
            _("Weekly samples, accepted and returned work; some summaries are still waiting for a verdict."),
            "inspection",
            ready=has_runs,
            roles=access.STAFF,
        ),
        Stop(
            _("Release"),
            _("A fixed list of rows that always reproduces the same file, with its hash."),
            "export",
            ready=Release.objects.filter(project=project, tag=finished.TAG).exists(),
        ),
    ]
