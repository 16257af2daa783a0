"""Names of runs and revisions for people to choose from, in the language of the page; files name them by `str`."""

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from annotation.services.core.word_patterns import add_remark
from modelbridge.models import Run, SystemRevision


def label_revision(revision: SystemRevision) -> str:
    """Lead (revision 2)"""
    return add_remark(revision.system.name, _("revision %(n)d") % {"n": revision.number})


def label_run(run: Run, *details: str) -> str:
    """Second try · details · 3 Nov 2026, 14:05; the label of the run, or else what it ran."""
    started = date_format(timezone.localtime(run.created_at), "j M Y, H:i")
    return " · ".join([run.label or label_revision(run.revision), *filter(None, details), started])
