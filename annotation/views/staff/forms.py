"""Forms of staff: text in, typed values out. Rules live in the services."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import AssignmentState
from annotation.services.staff import bulk_actions, reassignment
from annotation.services.staff.release_and_void import Period
from annotation.services.tasks import reservations
from annotation.views.core.forms import StyledForm


class AffectedFilter(forms.Form):
    annotator = forms.IntegerField(required=False, min_value=1)
    version = forms.IntegerField(required=False, min_value=1, max_value=10**6)


STATES = [
    state
    for state in AssignmentState
    if state not in (AssignmentState.CLAIMED, AssignmentState.SKIPPED, *AssignmentState.LATE)
]


class AnnotationFilters(StyledForm):
    """Allowed filters of the list, and nothing else."""

    state = forms.ChoiceField(
        label=_("State"), required=False, choices=[("", _("all")), *((one.value, one.label) for one in STATES)]
    )
    person = forms.CharField(label=_("Annotator"), required=False, max_length=150)
    combination = forms.CharField(
        label=_("Combination"), required=False, max_length=60, widget=forms.TextInput({"class": "short"})
    )
    week = forms.CharField(
        label=_("Week, as in 2026-W47"), required=False, max_length=8, widget=forms.TextInput({"class": "short"})
    )
    pasted = forms.BooleanField(label=_("With a large paste from outside"), required=False)


def day_field(label: Any) -> forms.DateField:
    return forms.DateField(label=label, required=False, widget=forms.DateInput({"type": "date"}))


class PeriodForm(StyledForm):
    since = day_field(_("From"))
    until = day_field(_("To"))

    def period(self) -> Period:
        return Period(self.cleaned_data["since"], self.cleaned_data["until"])


class LedgerFilters(PeriodForm):
    per = forms.ChoiceField(
        label=_("Per"),
        required=False,
        choices=[
            ("", _("whole period")),
            ("month", _("month")),
            ("week", _("week")),
        ],
    )
    names = forms.ChoiceField(
        label=_("People by"),
        required=False,
        choices=[("", _("pseudonyms, as in exports")), ("usernames", _("account names"))],
    )


class SteerForm(PeriodForm):
    kind = forms.ChoiceField(
        label=_("What to do"),
        choices=[(kind.value, kind.label) for kind in bulk_actions.KINDS],
        widget=forms.RadioSelect,
        initial="release",
    )
    person = forms.CharField(label=_("Account"), max_length=150)
    to = forms.CharField(
        label=_("Who gets the tasks"),
        required=False,
        max_length=150,
        help_text=_("For giving them to somebody else."),
    )
    n = forms.IntegerField(
        label=_("Places to keep"),
        required=False,
        min_value=1,
        max_value=reassignment.MAX_PLACES,
        widget=forms.NumberInput({"class": "short"}),
    )
    days = forms.IntegerField(
        label=_("Days they are kept"),
        required=False,
        min_value=1,
        max_value=reservations.MAX_DAYS,
        widget=forms.NumberInput({"class": "short", "placeholder": reservations.DAYS}),
    )
    field_order = ("kind", "person", "to", "since", "until", "n", "days")

    def asked(self) -> bulk_actions.ActionRequest:
        values = self.cleaned_data
        days, n = values["days"] or reservations.DAYS, values["n"] or 0
        return bulk_actions.ActionRequest(values["kind"], values["person"], values["to"], self.period(), n, days)
