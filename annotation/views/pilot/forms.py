"""Forms of the pilot pages: text in, typed values out. Rules live in the services."""

from django import forms
from django.utils.translation import gettext_lazy

from annotation.views.core.forms import StyledForm


class ChoosingFilters(StyledForm):
    combination = forms.CharField(label=gettext_lazy("Combination"), required=False, max_length=60)
    source = forms.CharField(
        label=gettext_lazy("Source id begins with"),
        required=False,
        max_length=200,
        widget=forms.SearchInput({"dir": "auto"}),
    )
