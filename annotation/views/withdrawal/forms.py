"""Forms of the withdrawals page: text in, typed values out. Rules live in the services."""

from django import forms
from django.utils.translation import gettext_lazy

from annotation.services.withdrawal.withdraw import WithdrawalScope
from annotation.views.core.forms import StyledForm

PARTS = ("remove_texts", "mask_name", "leave_out", "reopen")


class WithdrawalForm(StyledForm):
    person = forms.CharField(
        label=gettext_lazy("Account, or id of the crowd platform"),
        max_length=150,
        widget=forms.TextInput({"dir": "auto"}),
    )
    remove_texts = forms.BooleanField(
        label=gettext_lazy("Remove the texts"),
        required=False,
        help_text=gettext_lazy("Summaries, drafts, questions, notes and comments are emptied."),
    )
    mask_name = forms.BooleanField(
        label=gettext_lazy("Mask the name"),
        required=False,
        help_text=gettext_lazy("The account loses name, mail and password and is closed; exports say “withdrawn”."),
    )
    leave_out = forms.BooleanField(
        label=gettext_lazy("Leave out of exports"),
        required=False,
        help_text=gettext_lazy("Nothing of the person is in exports from now on, not even the empty lines."),
    )
    reopen = forms.BooleanField(
        label=gettext_lazy("Offer the places to others"),
        required=False,
        help_text=gettext_lazy("The work becomes void and leaves the ledger: take the ledger first."),
    )

    def asked(self) -> WithdrawalScope:
        return WithdrawalScope(**{name: self.cleaned_data[name] for name in PARTS})
