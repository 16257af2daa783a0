"""Sentences that another system extracted, for a run of a scorer of extract-then-rewrite systems."""

from collections.abc import Collection
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core.errors import BadInput
from epitome.systems.extract_scorer import Settings
from epitome.text.tokens import sentence_texts
from modelbridge.models import OutputState, Run, SystemOutput, SystemRevision

NOTE = "extract_run"
"""Key in a run's notes: the run whose outputs are the extracts, chosen when the run starts."""


def find_extract_run(project: Project, revision: SystemRevision) -> dict[str, int]:
    """The notes of a run with the newest finished run of the system that its configuration names; {} where it names
    none. Raises BadInput: there is no such run."""
    settings = revision.config.settings
    if not isinstance(settings, Settings) or settings.extractor != "uploaded":
        return {}
    runs = Run.objects.texts().done().filter(project=project, revision__system__key=settings.extracts)
    newest = runs.order_by("-pk").first()
    if newest is None:
        message = _('No finished run of the system "%(key)s", whose outputs are the extracts. Upload them first.')
        raise BadInput(message % {"key": settings.extracts}, field="system", code="extracts")
    return {NOTE: newest.pk}


def load_extracts(run: Run, samples: Collection[int]) -> dict[int, tuple[str, ...]]:
    """sample -> its extracted sentences: the lines of the output, or its sentences where it has one line."""
    notes: dict[str, Any] = run.notes
    if NOTE not in notes:
        return {}
    rows = SystemOutput.objects.filter(
        project=run.project_id, run=notes[NOTE], sample__in=samples, state=OutputState.DONE
    )
    return {sample: _split_extract(text) for sample, text in rows.values_list("sample_id", "text")}


def _split_extract(text: str) -> tuple[str, ...]:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return tuple(lines if len(lines) > 1 else sentence_texts(text))
