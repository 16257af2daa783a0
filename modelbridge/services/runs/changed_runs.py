"""Runs of the same revision with one attribute of each request changed, beside the run that has the outputs before.

They are ordinary runs: leased, stopped and resumed in the same way.
"""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _

from annotation.models import Sample
from annotation.services.core.errors import BadInput
from annotation.transactions import write_transaction
from epitome.systems.protocol import RequestValue
from modelbridge.models import OutputState, Run, RunState
from modelbridge.models.runs import CHANGED
from modelbridge.services.runs import runs
from modelbridge.services.runs.changed_requests import changed_attribute
from modelbridge.services.runs.sample_selection import ListedSample

Changes = Mapping[str, Mapping[int, RequestValue]]
"""attribute -> sample -> the new value."""


def may_change_requests(run: Run) -> bool:
    """Whether the run is of a system that writes summaries here."""
    return not run.over and run.revision.role_traits.writes and not run.revision.declared_kind.elsewhere


def check_base(run: Run) -> None:
    """Raises BadInput where the outputs of a run cannot be compared with those of changed requests."""
    if not may_change_requests(run):
        message = _("Requests are changed for runs of a system that writes summaries here.")
        raise BadInput(message, field="run", code="role")
    if run.state != RunState.DONE or not run.outputs.filter(state=OutputState.DONE).exists():
        raise BadInput(_("This run has not finished. Its outputs are compared with the new ones."), field="run")


def start_changed_runs(
    *, run: Run, changes: Changes, n: int, seed: int, by: AbstractBaseUser | None, queue_it: bool = True
) -> list[Run]:
    """One run per changed attribute, all or none; n and seed name the draw. The same draw again gives the same runs.

    Raises BadInput for a run that cannot be compared with, Conflict for too many runs of this user.
    """
    check_base(run)
    if not any(changes.values()):
        message = _("No request can be changed: no attribute of these samples has another value.")
        raise BadInput(message, field="run", code="nosamples")
    with write_transaction():
        list(Run.objects.select_for_update().filter(pk=run.pk).values_list("pk"))  # two starts of one draw queue here
        existing = list_changed_runs(run, n=n, seed=seed)
        if existing:
            return existing
        if by is not None and queue_it:
            runs.check_run_limit(run.project, by)
        for attribute, values in changes.items():
            if values:
                _start_changed_run(run, attribute, values, {"n": n, "draw": seed}, by=by, queue_it=queue_it)
    return list_changed_runs(run, n=n, seed=seed)


def list_changed_runs(run: Run, *, n: int | None = None, seed: int | None = None) -> list[Run]:
    """The runs that change a request of a run, oldest first; of one draw where it is named."""
    rows = Run.objects.filter(project=run.project_id, over__startswith=CHANGED, options__base=str(run.public_id))
    if n is not None and seed is not None:
        rows = rows.filter(options__n=n, options__draw=seed)
    return list(rows.select_related("revision__system", "project").order_by("pk"))


def _start_changed_run(
    base: Run,
    attribute: str,
    values: Mapping[int, RequestValue],
    draw: Mapping[str, int],
    *,
    by: AbstractBaseUser | None,
    queue_it: bool,
) -> Run:
    rows = Sample.objects.filter(pk__in=values).order_by("document_id", "position")
    samples = [ListedSample(*row) for row in rows.values_list("pk", "document__n_words")]
    stored: dict[str, Any] = {
        str(sample): list(value) if isinstance(value, tuple) else value for sample, value in values.items()
    }
    return runs.create_run(
        project=base.project,
        revision=base.revision,
        samples=samples,
        by=by,
        queue_it=queue_it,
        label=f"{base.label} {CHANGED}{attribute}".strip()[:200],
        split=base.split,
        over=f"{CHANGED}{attribute}",
        options={"base": str(base.public_id), **draw, "values": stored},
        seed=base.seed,
    )


def base_of(run: Run) -> str:
    """The public id of the run whose requests a run changes; "" for other runs."""
    return str(run.options.get("base", "")) if changed_attribute(run) else ""
