"""Forms of the pilot pages: text in, typed values out. Rules live in the services."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from annotation.models import Project
from annotation.views.core.forms import StyledForm
from annotation.views.core.list_filters import contains_field, offer_combinations


class ChoosingFilters(StyledForm):
    """Allowed filters of the list, and nothing else."""

    source = contains_field(gettext_lazy("Source contains"))
    combination = forms.ChoiceField(label=gettext_lazy("Combination"), required=False)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offer_combinations(self, "combination", project)
