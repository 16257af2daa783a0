"""Forms of reports: text in, typed values out. Rules live in the services."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from annotation.views.core.forms import StyledForm
from evaluation.services.reports import report_links
from modelbridge.models import SystemRevision
from modelbridge.services.runs.run_labels import label_revision


class JudgeForm(StyledForm):
    judge = forms.ChoiceField(label=_("Judge"), choices=[])

    def __init__(self, *args: Any, judges: list[SystemRevision], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, Any] = self.fields
        fields["judge"].choices = [(str(revision.pk), label_revision(revision)) for revision in judges]


class ReportLinkForm(StyledForm):
    """A new link to a report."""

    name = forms.CharField(label=_("For"), max_length=100, help_text=_("Who reads it; seen by your team only."))
    days = forms.TypedChoiceField(label=_("Valid for"), coerce=int, initial=30)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(days, ngettext("%(n)d day", "%(n)d days", days) % {"n": days}) for days in report_links.DAYS]
        self.fields["days"].choices = choices  # type: ignore[attr-defined]
