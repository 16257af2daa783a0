"""The first drafts of a run that refines, as outputs of a system of their own, to be compared with the last ones."""

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import AuditVerb
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict
from annotation.transactions import write_transaction
from modelbridge.models import OutputState, Run, RunState, SystemOutput
from modelbridge.services.runs.predictions_upload import BATCH
from modelbridge.services.runs.refinements import refines
from modelbridge.services.runs.run_announcements import announce_run
from modelbridge.services.systems.systems import register_uploaded

NOTE = "first_drafts_of"
"""Key in the notes of such a run: the run that its texts are the first drafts of."""
SUFFIX = "-first-draft"
KEY_LENGTH = 60


def has_first_drafts(run: Run) -> bool:
    """Whether a run has ended and can have drafts of its own."""
    return refines(run) and run.state == RunState.DONE and not run.over


def make_first_drafts(*, run: Run, by: AbstractBaseUser | None) -> Run:
    """The run with the first drafts of those samples whose output is another text; the one that is there already where
    it has them all. Raises Conflict: the run has not ended, or refines nothing; BadInput: no output was changed."""
    if not has_first_drafts(run):
        raise Conflict(_("Only a finished run of a system that refines has first drafts."), code="nodrafts")
    rows = [row for row in _changed_outputs(run) if row.text]
    if not rows:
        raise BadInput(_("No output differs from its first draft."), field="run", code="unchanged")
    system = run.revision.system
    with write_transaction():
        key, name = system.key[: KEY_LENGTH - len(SUFFIX)] + SUFFIX, _("%(name)s, first draft") % {"name": system.name}
        revision = register_uploaded(project=run.project, key=key, name=name[:200], by=by)
        notes = {NOTE: str(run.public_id)}
        known = Run.objects.filter(project=run.project, revision=revision, notes=notes, n_samples=len(rows)).first()
        if known is not None:
            return known
        now = timezone.now()
        drafts = Run.objects.create(
            project=run.project, revision=revision, label=run.label, state=RunState.DONE, split=run.split,
            n_samples=len(rows), seed=run.seed, notes=notes, created_by_id=by.pk if by is not None else None,
            started_at=now, finished_at=now,
        )  # fmt: skip
        for position, row in enumerate(rows):
            row.run, row.position, row.work_order, row.finished_at = drafts, position, position, now
        SystemOutput.objects.bulk_create(rows, batch_size=BATCH)
        audit.record_event(
            project=run.project, actor=by, verb=AuditVerb.RUN_UPLOAD, target=f"run:{drafts.public_id}",
            samples=len(rows),
        )  # fmt: skip
        announce_run(drafts)
    return drafts


def _changed_outputs(run: Run) -> list[SystemOutput]:
    """The first drafts, not stored yet, with what is known of how they came about."""
    drafts = []
    for row in run.outputs.filter(state=OutputState.DONE).order_by("position").iterator(chunk_size=200):
        first = row.steps[0] if row.steps else None
        if first is None or first["text"].strip() == row.text.strip():
            continue
        usage = first["usage"]
        drafts.append(
            SystemOutput(
                project_id=row.project_id, sample_id=row.sample_id, state=OutputState.DONE, attempts=1, worker="draft",
                text=first["text"], told=row.told, prompt=row.prompt, decoding={NOTE: str(run.public_id)},
                seed=row.seed, weights=row.weights, versions=row.versions, truncated=row.truncated, usage=usage,
                cost=float(usage.get("cost", 0.0)),
            )
        )  # fmt: skip
    return drafts
