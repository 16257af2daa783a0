"""Forms of accounts: text in, typed values out. Rules live in the services."""

from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, PasswordResetForm, SetPasswordForm
from django.utils.translation import gettext_lazy as _

from annotation.models import ApiToken
from annotation.views.core.forms import Styled, StyledForm


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


class CodeForm(StyledForm):
    code = forms.CharField(
        label=_("Code"),
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


class ChangeForm(Styled, PasswordChangeForm):
    pass


class ResetForm(Styled, PasswordResetForm):
    pass


class NewPasswordForm(Styled, SetPasswordForm):
    pass
