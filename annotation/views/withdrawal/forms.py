"""Forms of the withdrawals page: text in, typed values out. Rules live in the services."""

from django import forms
from django.utils.translation import gettext_lazy

from annotation.services.withdrawal.withdraw import WithdrawalScope
from annotation.views.core.forms import StyledForm

PARTS = ("remove_texts", "mask_name", "leave_out", "reopen")


class WithdrawalForm(StyledForm):
    person = forms.CharField(
        label=gettext_lazy("User name, or ID on the crowd platform"),
        max_length=150,
        widget=forms.TextInput({"dir": "auto"}),
    )
    remove_texts = forms.BooleanField(
        label=gettext_lazy("Remove the texts"),
        required=False,
        help_text=gettext_lazy("Texts, drafts, questions, notes and comments are emptied."),
    )
    mask_name = forms.BooleanField(
        label=gettext_lazy("Mask the name"),
        required=False,
        help_text=gettext_lazy(
            "Name, email and password are deleted and the account is closed. Exports say “withdrawn”."
        ),
    )
    leave_out = forms.BooleanField(
        label=gettext_lazy("Leave out of exports"),
        required=False,
        help_text=gettext_lazy("The person's rows no longer appear in exports, not even as empty rows."),
    )
    reopen = forms.BooleanField(
        label=gettext_lazy("Offer the tasks to others"),
        required=False,
        help_text=gettext_lazy("The work is voided and removed from the ledger. Download the ledger first."),
    )

    def asked(self) -> WithdrawalScope:
        return WithdrawalScope(**{name: self.cleaned_data[name] for name in PARTS})
