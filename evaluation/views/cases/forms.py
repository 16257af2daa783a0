"""Forms of cases: text in, typed values out. Rules live in the services."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from annotation.views.core.forms import StyledForm, set_choices
from evaluation.services.cases.cases import MAX_LABEL, MAX_NOTE


class CaseForm(StyledForm):
    """A label of the list or a new one, and a note."""

    label = forms.ChoiceField(label=_("Label"), required=False)
    new_label = forms.CharField(
        label=_("New label"), required=False, max_length=MAX_LABEL, help_text=_("Instead of one of the list.")
    )
    others = forms.MultipleChoiceField(
        label=_("Together with"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Outputs for the same request. The human summary stands above them."),
    )
    note = forms.CharField(
        label=_("Note"), required=False, max_length=MAX_NOTE, widget=forms.Textarea({"rows": 3, "dir": "auto"})
    )

    def __init__(self, data: Any, labels: Sequence[str], others: Sequence[tuple[str, str]]) -> None:
        super().__init__(data)
        set_choices(self, "others", others)
        if not others:
            del self.fields["others"]
        set_choices(self, "label", [("", _now("none")), *((label, label) for label in labels)])

    def case_label(self) -> str:
        """The label of a valid form: the new one, if there is one."""
        return str(self.cleaned_data["new_label"] or self.cleaned_data["label"])
