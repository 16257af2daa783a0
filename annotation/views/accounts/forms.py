"""Forms of accounts: text in, typed values out. Rules live in the services."""

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import ApiToken
from annotation.views.core.forms import StyledForm


class TokenForm(StyledForm):
    name = forms.CharField(label=_("What it is for"), max_length=100)
    scope = forms.ChoiceField(label=_("May"), choices=ApiToken.Scope.choices)
    days = forms.IntegerField(
        label=_("Days until it expires"),
        min_value=1,
        max_value=366,
        initial=90,
        widget=forms.NumberInput({"class": "short"}),
    )
