"""Second factor: set-up, the code prompt at sign-in, and the middleware that enforces it for staff."""

import time
from collections.abc import Callable
from typing import Any

import django_otp
from django.contrib import messages
from django.contrib.auth import login, logout
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.utils.crypto import constant_time_compare
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation.services.accounts import second_factor as second_factor_service
from annotation.services.accounts.qr_codes import build_qr_code
from annotation.services.accounts.sessions import end_sessions
from annotation.services.core.errors import NotFound, ServiceError, TooMany
from annotation.views.accounts.forms import CodeForm
from annotation.views.core.client_ip import client_address
from annotation.views.core.decorators import add_service_error, current_user, signed_in
from annotation.views.core.form_pages import redirect_to_sign_in

PENDING = "second_factor_pending"
SECONDS = 600
"""Seconds a correct password stays valid while waiting for the code."""
BACKEND = "annotation.sessions.Backend"
ALWAYS_OPEN = frozenset(
    {"second-factor", "sign-in", "sign-in-code", "sign-out", "theme", "language", "join", "take-part"}
)


def ask_for_code(request: HttpRequest, user: User, next_url: str, *, interrupted: bool = False) -> HttpResponse:
    """Store the pending sign-in after the password or the provider's answer; only the code signs the user in."""
    request.session.cycle_key()
    request.session[PENDING] = {
        "user": user.pk,
        "at": int(time.time()),
        "next": next_url,
        "password": user.get_session_auth_hash(),
        "interrupted": interrupted,
    }
    return redirect("sign-in-code")


def _get_pending_user(request: HttpRequest) -> tuple[User, dict[str, Any]] | None:
    pending = request.session.get(PENDING)
    if not pending or time.time() - pending["at"] > SECONDS:
        return None
    user = User.objects.filter(pk=pending["user"], is_active=True).first()
    if user is None or not constant_time_compare(pending.get("password", ""), user.get_session_auth_hash()):
        return None  # the password was changed since
    return user, pending


def note_interruption(request: HttpRequest) -> None:
    """Inform a person who is signed in again that the form sent meanwhile was not stored."""
    messages.warning(request, _("You were signed out, so nothing was changed. Press the button again."))


@require_http_methods(["GET", "HEAD", "POST"])
def sign_in_code(request: HttpRequest) -> HttpResponse:
    """Check the authenticator or recovery code; redirects to sign-in without a pending correct password."""
    pending = _get_pending_user(request)
    if pending is None:
        return redirect("sign-in")
    user, entry = pending
    form, status = CodeForm(request.POST or None), 200
    if request.method == "POST" and form.is_valid():
        try:
            device = second_factor_service.check_code(
                user=user, code=form.cleaned_data["code"], address=client_address(request)
            )
        except ServiceError as error:
            add_service_error(form, error)
            status = 429 if isinstance(error, TooMany) else 200
        else:
            request.session.pop(PENDING, None)
            login(request, user, backend=BACKEND)
            django_otp.login(request, device)
            if entry.get("interrupted"):
                note_interruption(request)
            safe = url_has_allowed_host_and_scheme(entry["next"], allowed_hosts={request.get_host()})
            return redirect(entry["next"] if safe else "home")
    return render(request, "registration/sign_in_code.html", {"form": form}, status=status)


@signed_in(methods=["GET", "HEAD", "POST"])
def second_factor(request: HttpRequest) -> HttpResponse:
    """Set up the second factor, renew recovery codes, or turn it off. `do` names the action."""
    if second_factor_service.get_mode() == second_factor_service.OFF:
        raise NotFound(_("Page not found, or you don't have access."))
    user, action = current_user(request), request.POST.get("do", "")
    codes: list[str] = []
    form = CodeForm(request.POST if action in ("confirm", "codes", "off") else None)
    try:
        if action == "begin":
            second_factor_service.begin_setup(user)
            return redirect("second-factor")
        if form.is_bound and form.is_valid():
            codes = _apply_change(request, user, action, form.cleaned_data["code"])
            if not codes:
                return redirect("second-factor")
            form = CodeForm()
    except ServiceError as error:
        add_service_error(form, error) if form.is_bound else messages.error(request, error.message)
    is_on = second_factor_service.has_second_factor(user)
    device = None if is_on else second_factor_service.pending_device(user)
    context: dict[str, Any] = {
        "form": form,
        "is_on": is_on,
        "device": device,
        "qr": build_qr_code(device.config_url) if device is not None else None,
        "secret": second_factor_service.secret_text(device) if device is not None else "",
        "codes": "\n".join(codes),
        "left": second_factor_service.codes_left(user) if is_on else 0,
        "must": second_factor_service.must_set_up(user),
    }
    return render(request, "registration/second_factor.html", context, status=422 if form.errors else 200)


def _apply_change(request: HttpRequest, user: User, action: str, code: str) -> list[str]:
    """Apply the action; returns recovery codes to show, or []."""
    address = client_address(request)
    if action == "codes":
        return second_factor_service.renew_codes(user=user, code=code, address=address)
    if action == "off":
        second_factor_service.turn_off(user=user, code=code, address=address)
        request.session.pop(django_otp.DEVICE_ID_SESSION_KEY, None)
        messages.success(request, _("The second factor is off."))
        return []
    device, codes = second_factor_service.confirm_setup(user=user, code=code, address=address)
    end_sessions(user)  # sessions opened with the password alone; the current session continues with a new key
    request.session.cycle_key()
    django_otp.login(request, device)
    return codes


class SecondFactorGate:
    """Where a second factor is required, block staff sessions opened without one. API tokens have no session."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_args: Any) -> HttpResponseBase | None:
        if second_factor_service.get_mode() != second_factor_service.REQUIRED or not request.user.is_authenticated:
            return None
        name = request.resolver_match.url_name if request.resolver_match else ""
        if name in ALWAYS_OPEN or django_otp.DEVICE_ID_SESSION_KEY in request.session:
            return None
        if second_factor_service.is_left_to_provider(request.session):
            return None
        if not second_factor_service.is_staff(request.user):
            return None
        if request.path.startswith("/api/"):
            detail = _("Staff accounts need a second factor. Set it up in your account menu.")
            body = {"type": "about:blank", "title": "Forbidden", "status": 403, "detail": detail}
            answer = JsonResponse({**body, "code": "second_factor", "errors": []}, status=403)
            answer["Content-Type"] = "application/problem+json"
            return answer
        if second_factor_service.has_second_factor(
            request.user
        ):  # a session from before the set-up: sign in again, with the code
            logout(request)
            return redirect_to_sign_in(request)
        return redirect("second-factor")
