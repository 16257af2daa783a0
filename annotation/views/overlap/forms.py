"""Forms of the overlap pages: text in, typed values out. Rules live in the services."""

from django import forms
from django.utils.translation import gettext_lazy

from annotation.views.core.forms import StyledForm


class OverlapFilters(StyledForm):
    state = forms.ChoiceField(
        label=gettext_lazy("Show"),
        required=False,
        choices=[
            ("", gettext_lazy("all")),
            ("waiting", gettext_lazy("overlap, not compared")),
            ("compared", gettext_lazy("compared")),
        ],
    )
