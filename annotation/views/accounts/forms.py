"""Forms of accounts: text in, typed values out. Rules live in the services."""

from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, PasswordResetForm, SetPasswordForm
from django.utils import translation
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotation.models import ApiToken
from annotation.services.accounts.languages import load_language
from annotation.views.core.forms import Styled, StyledForm


class TokenForm(StyledForm):
    name = forms.CharField(label=_("What it is for"), max_length=100)
    scope = forms.ChoiceField(label=_("Scope"), choices=ApiToken.Scope.choices)
    days = forms.IntegerField(
        label=_("Days until it expires"),
        min_value=1,
        max_value=366,
        initial=90,
        widget=forms.NumberInput({"class": "short"}),
    )


class CodeForm(StyledForm):
    code = forms.CharField(
        label=pgettext_lazy("sign-in", "Code"),
        max_length=40,
        widget=forms.TextInput({"autocomplete": "one-time-code", "class": "short", "dir": "ltr"}),
    )


class SignInForm(Styled, AuthenticationForm):
    error_messages = {
        "invalid_login": _("Sign-in failed. Wrong user name or password (both are case-sensitive)."),
        "inactive": _("This account is closed."),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = _("User name")


class FirstAdminForm(StyledForm):
    """The account that a site without accounts begins with."""

    code = forms.CharField(
        label=_("One-time code"),
        max_length=40,
        widget=forms.TextInput(
            {"autocomplete": "one-time-code", "class": "code-field", "dir": "ltr", "placeholder": "XXXX-XXXX"}
        ),
        help_text=_(
            "Printed in the server's log as “Set-up code”, and in the file setup_code of the data folder. Valid for one"
            " hour; open this page again for a new one."
        ),
    )
    username = forms.CharField(
        label=_("User name"), max_length=150, initial="admin", widget=forms.TextInput({"autocomplete": "username"})
    )
    email = forms.EmailField(
        label=_("Email (optional)"),
        required=False,
        help_text=_("For password resets by email."),
        widget=forms.EmailInput({"autocomplete": "email"}),
    )
    password = forms.CharField(
        label=_("Password"),
        max_length=128,
        strip=False,
        widget=forms.PasswordInput({"autocomplete": "new-password"}),
        help_text=_("At least 12 characters; no common passwords."),
    )
    again = forms.CharField(
        label=_("Repeat the password"),
        max_length=128,
        strip=False,
        widget=forms.PasswordInput({"autocomplete": "new-password"}),
    )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("password") and cleaned.get("password") != cleaned.get("again"):
            self.add_error("again", _("The passwords do not match."))
        return cleaned


class ChangeForm(Styled, PasswordChangeForm):
    def clean_new_password1(self) -> str:
        """A new password is another one than before."""
        password = str(self.cleaned_data.get("new_password1") or "")
        if password and self.user.check_password(password):
            raise forms.ValidationError(_("This is your current password. Choose a different one."))
        return password


class ResetForm(Styled, PasswordResetForm):
    def send_mail(
        self, subject_template_name: str, email_template_name: str, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> None:
        """The mail is in the language of its addressee, not of the person who filled in the form."""
        with translation.override(load_language(context["user"]) or translation.get_language()):
            super().send_mail(subject_template_name, email_template_name, context, *args, **kwargs)


class NewPasswordForm(Styled, SetPasswordForm):
    pass
