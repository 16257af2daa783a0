"""Forms of the inspection pages: text in, typed values out. Rules live in the services."""

from django import forms
from django.utils.translation import gettext_lazy

from annotation.services.inspection import weekly_sample
from annotation.views.core.forms import StyledForm


class QueueFilters(StyledForm):
    """Allowed filters of the queue, and nothing else."""

    week = forms.RegexField(
        weekly_sample.WEEK, label=gettext_lazy("Week"), required=False, strip=False, widget=forms.HiddenInput
    )
    annotator = forms.RegexField(r"^[0-9a-f]{12}\Z", label=gettext_lazy("Annotator"), required=False)
    state = forms.ChoiceField(
        label=gettext_lazy("State"),
        required=False,
        choices=[("", gettext_lazy("all")), ("open", gettext_lazy("to inspect")), ("done", gettext_lazy("inspected"))],
    )
