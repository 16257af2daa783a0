"""Forms of staff: text in, typed values out. Rules live in the services."""

from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.models import AssignmentState, Project
from annotation.services.staff import bulk_actions, reassignment
from annotation.services.staff.release_and_void import Period
from annotation.services.tasks import reservations
from annotation.views.core.forms import StyledForm, set_choices
from annotation.views.core.list_filters import contains_field, offer_combinations
from annotation.views.staff.weeks import week_choices


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
    person = contains_field(_("Annotator contains"))
    combination = forms.ChoiceField(label=_("Combination"), required=False)
    week = forms.ChoiceField(label=_("Week"), required=False)
    pasted = forms.BooleanField(label=_("With a large external paste"), required=False)
    as_suggested = forms.BooleanField(label=_("Submitted as suggested"), required=False)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offer_combinations(self, "combination", project)
        set_choices(self, "week", [("", gettext("all")), *week_choices(project)])


def day_field(label: Any, **attrs: str) -> forms.DateField:
    return forms.DateField(label=label, required=False, widget=forms.DateInput({"type": "date", **attrs}))


class PeriodForm(StyledForm):
    since = day_field(_("From"))
    until = day_field(_("To"))

    def period(self) -> Period:
        return Period(self.cleaned_data["since"], self.cleaned_data["until"])


class LedgerFilters(PeriodForm):
    per = forms.ChoiceField(
        label=_("Group by"),
        required=False,
        choices=[
            ("", _("whole period")),
            ("month", _("month")),
            ("week", _("week")),
        ],
    )
    names = forms.ChoiceField(
        label=_("Show people as"),
        required=False,
        choices=[("", _("pseudonyms (as in exports)")), ("usernames", _("account names"))],
    )


class SteerForm(PeriodForm):
    """Fields with data-for are shown for that action only (conditional-fields.js)."""

    since = day_field(_("From"), **{"data-for": "void"})
    until = day_field(_("To"), **{"data-for": "void"})
    kind = forms.ChoiceField(
        label=_("Action"),
        choices=[(kind.value, kind.label) for kind in bulk_actions.KINDS],
        widget=forms.RadioSelect,
        initial="release",
    )
    person = forms.CharField(label=_("User name"), max_length=150)
    to = forms.CharField(
        label=_("New assignee"),
        required=False,
        max_length=150,
        widget=forms.TextInput({"data-for": "reassign"}),
    )
    n = forms.IntegerField(
        label=_("Tasks to reserve"),
        required=False,
        min_value=1,
        max_value=reassignment.MAX_PLACES,
        widget=forms.NumberInput({"class": "short", "data-for": "reserve"}),
    )
    days = forms.IntegerField(
        label=_("Days reserved"),
        required=False,
        min_value=1,
        max_value=reservations.MAX_DAYS,
        widget=forms.NumberInput({"class": "short", "placeholder": reservations.DAYS, "data-for": "reserve"}),
    )
    field_order = ("kind", "person", "to", "since", "until", "n", "days")

    def asked(self) -> bulk_actions.ActionRequest:
        values = self.cleaned_data
        days, n = values["days"] or reservations.DAYS, values["n"] or 0
        return bulk_actions.ActionRequest(values["kind"], values["person"], values["to"], self.period(), n, days)
