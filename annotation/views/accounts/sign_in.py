"""Sign-in, sign-out, passwords, and the colour theme."""

from functools import partial
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth import views as auth
from django.contrib.auth.forms import AuthenticationForm, PasswordResetForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from annotation.services.accounts import first_passwords, second_factor, sign_in_throttle
from annotation.services.core.errors import NotFound, TooMany
from annotation.views.accounts.forms import ChangeForm, NewPasswordForm, ResetForm, SignInForm
from annotation.views.accounts.second_factor import ask_for_code, note_interruption
from annotation.views.accounts.ways_in import describe_ways_in
from annotation.views.core.client_ip import client_address
from annotation.views.core.decorators import current_user, restrict_methods
from annotation.views.core.errors import add_retry_after
from annotation.views.core.form_pages import INTERRUPTED
from annotation.views.core.navigation import THEMES


class SignIn(auth.LoginView):
    template_name = "registration/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        ways_in = describe_ways_in(self.get_redirect_url(), interrupted=self.was_interrupted)
        return {**ways_in, **super().get_context_data(**kwargs)}

    @property
    def was_interrupted(self) -> bool:
        """Whether a form was sent after the session had ended."""
        return INTERRUPTED in self.request.GET or INTERRUPTED in self.request.POST

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not settings.EPITOME_PASSWORD_SIGN_IN:
            refused = _("Password sign-in is turned off on this site.")
            return self.render_to_response(self.get_context_data(form=SignInForm(request), refused=refused), status=403)
        self.account = request.POST.get("username", "")[:150].replace("\0", "")
        try:
            sign_in_throttle.begin_password_try(account=self.account, address=client_address(request))
        except TooMany as error:
            context = self.get_context_data(form=SignInForm(request), refused=error.message)
            return add_retry_after(self.render_to_response(context, status=429), error)
        return super().post(request, *args, **kwargs)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        user = form.get_user()
        sign_in_throttle.end_password_try(account=self.account, address=client_address(self.request), user_id=user.pk)
        if second_factor.needs_code(user):
            return ask_for_code(self.request, user, self.get_success_url(), interrupted=self.was_interrupted)
        response = super().form_valid(form)
        if self.was_interrupted:
            note_interruption(self.request)
        return response


class SignOut(auth.LogoutView):
    http_method_names = ["post"]


class PasswordsUsed:
    """Not found where EPITOME_PASSWORD_SIGN_IN forbids sign-in with a password."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not settings.EPITOME_PASSWORD_SIGN_IN:
            raise NotFound()
        response: HttpResponseBase = super().dispatch(request, *args, **kwargs)  # type: ignore[misc]
        return response


class PasswordChange(PasswordsUsed, auth.PasswordChangeView):
    template_name = "registration/password_change.html"
    form_class: type[forms.Form] = ChangeForm  # type: ignore[assignment]

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """The old password is limited like that of a sign-in: an open session must not be used to guess it."""
        self.account = current_user(request).username
        try:
            sign_in_throttle.begin_password_try(account=self.account, address=client_address(request))
        except TooMany as error:
            form = ChangeForm(current_user(request))
            context = self.get_context_data(form=form, refused=error.message)
            return add_retry_after(self.render_to_response(context, status=429), error)
        return super().post(request, *args, **kwargs)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        must_change = first_passwords.must_change(current_user(self.request))
        return {"must_change": must_change, **super().get_context_data(**kwargs)}

    def form_valid(self, form: Any) -> HttpResponse:
        self._end_try()
        response = super().form_valid(form)
        first_passwords.note_changed(current_user(self.request))
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        if "old_password" not in form.errors:
            self._end_try()
        return super().form_invalid(form)

    def _end_try(self) -> None:
        user = current_user(self.request)
        sign_in_throttle.end_password_try(account=self.account, address=client_address(self.request), user_id=user.pk)


class PasswordChangeDone(PasswordsUsed, auth.PasswordChangeDoneView):
    template_name = "registration/password_change_finished.html"


class ResetsOffered:
    """Not found where EPITOME_PASSWORD_RESETS switches password resets off."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not settings.EPITOME_PASSWORD_RESETS:
            raise NotFound()
        response: HttpResponseBase = super().dispatch(request, *args, **kwargs)  # type: ignore[misc]
        return response


class PasswordReset(ResetsOffered, auth.PasswordResetView):
    template_name = "registration/password_reset.html"
    email_template_name = "registration/password_reset_mail.txt"
    subject_template_name = "registration/password_reset_subject.txt"
    form_class = ResetForm

    def form_valid(self, form: PasswordResetForm) -> HttpResponse:
        try:
            sign_in_throttle.begin_reset(email=form.cleaned_data["email"], address=client_address(self.request))
        except TooMany as error:
            form.add_error(None, error.message)
            return add_retry_after(self.render_to_response(self.get_context_data(form=form), status=429), error)
        return super().form_valid(form)


class PasswordResetDone(ResetsOffered, auth.PasswordResetDoneView):
    template_name = "registration/password_reset_sent.html"


class PasswordResetConfirm(ResetsOffered, auth.PasswordResetConfirmView):
    template_name = "registration/password_reset_new.html"
    form_class: Any = NewPasswordForm

    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        first_passwords.note_changed(form.user)
        return response


class PasswordResetComplete(ResetsOffered, auth.PasswordResetCompleteView):
    template_name = "registration/password_reset_finished.html"


@partial(restrict_methods, methods=("POST",))
def set_theme(request: HttpRequest) -> HttpResponse:
    """Store the chosen theme in a cookie, so that the next page is rendered with it."""
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
