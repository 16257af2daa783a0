"""Forms of sources: text in, typed values out. Rules live in the services."""

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.views.core.forms import StyledForm, seed_field
from annotation.views.core.list_filters import contains_field


class DamageForm(StyledForm):
    reason = forms.CharField(label=_("Problem"), max_length=2000, widget=forms.Textarea({"rows": 2, "dir": "auto"}))


class SelectionForm(StyledForm):
    n = forms.IntegerField(
        label=_("Number of sources"),
        min_value=1,
        max_value=10_000_000,
        widget=forms.NumberInput({"class": "short"}),
    )
    seed = seed_field()


class DocumentFilters(StyledForm):
    """Allowed filters of the list, and nothing else."""

    q = contains_field(_("ID or title contains"))
    state = forms.ChoiceField(
        label=_("State"),
        required=False,
        choices=[
            ("", _("all")),
            ("damaged", _("damaged")),
            ("aside", _("not selected")),
            ("bare", _("without candidates")),
            ("unlicensed", _("without a licence")),
            ("withheld", _("may not be released")),
        ],
    )
