"""Forms of the statistics page: text in, typed values out. Rules live in the services."""

from collections.abc import Sequence

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.services import statistics as statistics_service
from annotation.views.core.forms import StyledForm, set_choices

NO_SPLIT = "-"
"""In URLs: sources without a split."""


class StatisticsFilters(StyledForm):
    """Allowed filters of the page, and nothing else."""

    split = forms.ChoiceField(label=gettext_lazy("Split"), required=False)
    origin = forms.ChoiceField(
        label=gettext_lazy("Written by"),
        required=False,
        choices=[
            ("", gettext_lazy("all")),
            ("people", gettext_lazy("people here")),
            ("imported", gettext_lazy("imported references")),
        ],
    )
    state = forms.ChoiceField(
        label=gettext_lazy("State"),
        required=False,
        choices=[("", gettext_lazy("latest")), ("accepted", gettext_lazy("accepted or imported"))],
    )

    def __init__(self, data: QueryDict, splits: Sequence[str]) -> None:
        super().__init__(data)
        split_choices = [(split or NO_SPLIT, split or _("no split")) for split in splits]
        set_choices(self, "split", [("", _("all")), *split_choices])

    def chosen(self, splits: Sequence[str]) -> statistics_service.Filter:
        """The filter of the form. With a single split, naming it makes no difference."""
        values = self.cleaned_data
        split = values["split"] if len(splits) > 1 and values["split"] else statistics_service.ALL
        return statistics_service.Filter(
            "" if split == NO_SPLIT else split, values["origin"] or "all", values["state"] or "latest"
        )
