"""Sign-in at the operator's provider: the way there, and the answer."""

from functools import partial
from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from annotation.services.accounts import second_factor, sign_in_throttle
from annotation.services.core.errors import NotFound, ServiceError
from annotation.services.people.provider_accounts import enter_site
from annotation.views.accounts import provider_client
from annotation.views.accounts.forms import SignInForm
from annotation.views.accounts.second_factor import BACKEND, ask_for_code, note_interruption
from annotation.views.accounts.ways_in import describe_ways_in
from annotation.views.core.client_ip import client_address
from annotation.views.core.decorators import restrict_methods
from annotation.views.core.errors import add_retry_after
from annotation.views.core.form_pages import INTERRUPTED
from epitome.site.oidc import OidcSettings

PENDING = "provider_sign_in"


@partial(restrict_methods, methods=("GET",))
def begin_sign_in(request: HttpRequest) -> HttpResponseBase:
    """Send the browser to the provider. A link, not a form: the content policy lets forms lead nowhere else."""
    oidc = _require_provider()
    next_url, interrupted = _read_next(request, request.GET.get("next", "")), INTERRUPTED in request.GET
    if request.user.is_authenticated:
        return redirect(next_url)
    try:
        sign_in_throttle.begin_provider_try(address=client_address(request))
        response = provider_client.redirect_to_provider(
            oidc, request, request.build_absolute_uri(reverse("provider-answer"))
        )
    except ServiceError as error:
        return _show_refusal(request, error, next_url, interrupted=interrupted)
    request.session[PENDING] = {"next": next_url, "interrupted": interrupted}
    return response


@partial(restrict_methods, methods=("GET",))
def finish_sign_in(request: HttpRequest) -> HttpResponseBase:
    """Check the provider's answer, find or make the account, and sign it in."""
    oidc = _require_provider()
    pending: dict[str, Any] = request.session.get(PENDING, {})
    next_url, interrupted = pending.get("next", resolve_url("home")), bool(pending.get("interrupted"))
    try:
        user = enter_site(provider_client.read_answer(oidc, request))
    except ServiceError as error:
        return _show_refusal(request, error, next_url, interrupted=interrupted)
    request.session.pop(PENDING, None)
    if oidc.site_factor and second_factor.needs_code(user):
        return ask_for_code(request, user, next_url, interrupted=interrupted)
    login(request, user, backend=BACKEND)
    if not oidc.site_factor:
        request.session[second_factor.SESSION_MARK] = True
    if interrupted:
        note_interruption(request)
    return redirect(next_url)


def _require_provider() -> OidcSettings:
    oidc: OidcSettings | None = settings.EPITOME_OIDC
    if oidc is None:
        raise NotFound()
    return oidc


def _read_next(request: HttpRequest, next_url: str) -> str:
    """The page to go to afterwards; only one of this site."""
    is_safe = url_has_allowed_host_and_scheme(
        next_url, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return next_url if is_safe else resolve_url("home")


def _show_refusal(
    request: HttpRequest, error: ServiceError, next_url: str, *, interrupted: bool = False
) -> HttpResponse:
    """The sign-in page with the reason, from which the person can start again."""
    context = {
        **describe_ways_in(next_url, interrupted=interrupted),
        "refused": error.message,
        "form": SignInForm(request),
        "next": next_url,
    }
    response = render(request, "registration/sign_in.html", context, status=error.status)
    return add_retry_after(response, error)
