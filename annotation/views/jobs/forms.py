"""Filters of the list of jobs."""

from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.models import JobState
from annotation.views.core.forms import StyledForm, set_choices
from annotation.views.core.list_filters import contains_field


class JobFilters(StyledForm):
    """Allowed filters of the list, and nothing else."""

    q = contains_field(_("File or person contains"))
    kind = forms.ChoiceField(label=_("Kind"), required=False)
    state = forms.ChoiceField(label=_("State"), required=False, choices=[("", _("all")), *JobState.choices])

    def __init__(self, *args: Any, kinds: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, "kind", [("", gettext("all")), *kinds])
