"""Forms of exports: text in, typed values out. Rules live in the services."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.views.core.forms import MAX_SEED, StyledForm


class SharesField(forms.CharField):
    """Three whole numbers: percent of train, dev and test. The service checks their sum. None where empty."""

    def clean(self, value: Any) -> tuple[int, ...] | None:
        text = super().clean(value)
        try:
            return tuple(int(share) for share in text.replace("/", ",").split(",")) if text else None
        except ValueError:
            raise forms.ValidationError(_("Write three whole numbers, such as 60, 20, 20.")) from None


class ExportForm(StyledForm):
    format = forms.ChoiceField(
        label=_("Format"),
        choices=[
            ("jsonl", _("JSON Lines: all fields, can be imported again")),
            ("macsum", _("MACSum JSON")),
            ("parquet", _("Parquet")),
        ],
    )
    state = forms.ChoiceField(
        label=_("Summaries"),
        required=False,
        choices=[("", _("the latest revision of each")), ("accepted", _("accepted only"))],
    )
    overlap = forms.ChoiceField(
        label=_("If a sample has several summaries"),
        required=False,
        choices=[("", _("all")), ("marked", _("the one chosen by reviewers"))],
    )
    split_seed = forms.IntegerField(
        label=_("Seed for a new split"),
        required=False,
        min_value=0,
        max_value=MAX_SEED,
        help_text=_("Parts of one meeting stay together. Leave empty to keep the imported split."),
        widget=forms.NumberInput({"class": "short"}),
    )
    shares = SharesField(
        label=_("Percent of train, dev and test"),
        required=False,
        help_text=_("Of a new split, such as 60, 20, 20. Empty: as the schema says."),
        widget=forms.TextInput({"class": "short"}),
    )
    release = forms.CharField(
        label=_("Release tag"),
        required=False,
        max_length=60,
        help_text=_("Fixes the list of rows: the same tag always reproduces the identical file."),
        widget=forms.TextInput({"class": "short"}),
    )
    authorship = forms.BooleanField(
        label=_("Include the authorship record"),
        required=False,
        help_text=_("Shares of typed and pasted text, for annotators who agreed to it."),
    )
