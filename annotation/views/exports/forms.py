"""Forms of exports: text in, typed values out. Rules live in the services."""

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.views.core.forms import MAX_SEED, StyledForm


class ExportForm(StyledForm):
    format = forms.ChoiceField(
        label=_("Format"),
        choices=[
            ("jsonl", _("JSON lines: every field, can be imported again")),
            ("macsum", _("MACSum JSON")),
            ("parquet", _("Parquet")),
        ],
    )
    state = forms.ChoiceField(
        label=_("Which summaries"),
        required=False,
        choices=[("", _("the latest of every assignment")), ("accepted", _("accepted ones only"))],
    )
    overlap = forms.ChoiceField(
        label=_("Of several summaries of a sample"),
        required=False,
        choices=[("", _("all")), ("marked", _("the marked one, where reviewers compared them"))],
    )
    split_seed = forms.IntegerField(
        label=_("Seed of a new 80/10/10 split"),
        required=False,
        min_value=0,
        max_value=MAX_SEED,
        help_text=_("By origin, so that pieces of one meeting stay together. Empty: the split of the import is kept."),
        widget=forms.NumberInput({"class": "short"}),
    )
    release = forms.SlugField(
        label=_("Release tag"),
        required=False,
        max_length=60,
        help_text=_("Freezes the list of rows: the same tag gives the same file, byte for byte, for ever."),
        widget=forms.TextInput({"class": "short"}),
    )
    authorship = forms.BooleanField(
        label=_("With the authorship record"),
        required=False,
        help_text=_("Shares of what was typed and pasted, of those who agreed to the record."),
    )
