"""Signing in and out, passwords, and the colours a person likes."""

from typing import Any

from django import forms
from django.contrib.auth import views as auth
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, PasswordResetForm, SetPasswordForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from annotation.forms import Styled
from annotation.views.context import THEMES


class SignInForm(Styled, AuthenticationForm):
    pass


class ChangeForm(Styled, PasswordChangeForm):
    pass


class ResetForm(Styled, PasswordResetForm):
    pass


class NewPasswordForm(Styled, SetPasswordForm):
    pass


class SignIn(auth.LoginView):
    template_name = "registration/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True


class SignOut(auth.LogoutView):
    http_method_names = ["post"]


class PasswordChange(auth.PasswordChangeView):
    template_name = "registration/password_change.html"
    form_class: type[forms.Form] = ChangeForm  # type: ignore[assignment]


class PasswordChangeDone(auth.PasswordChangeDoneView):
    template_name = "registration/password_change_finished.html"


class PasswordReset(auth.PasswordResetView):
    template_name = "registration/password_reset.html"
    email_template_name = "registration/password_reset_mail.txt"
    subject_template_name = "registration/password_reset_subject.txt"
    form_class = ResetForm


class PasswordResetDone(auth.PasswordResetDoneView):
    template_name = "registration/password_reset_sent.html"


class PasswordResetConfirm(auth.PasswordResetConfirmView):
    template_name = "registration/password_reset_new.html"
    form_class: Any = NewPasswordForm


class PasswordResetComplete(auth.PasswordResetCompleteView):
    template_name = "registration/password_reset_finished.html"


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Keep the chosen colours in a cookie, so that the next page comes in them at once."""
    next_url = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(
        next_url, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    response = HttpResponseRedirect(next_url if safe else resolve_url("home"))
    if request.POST.get("theme") in THEMES:
        response.set_cookie(
            "theme", request.POST["theme"], max_age=365 * 24 * 3600, secure=request.is_secure(), samesite="Lax"
        )
    return response
