"""First run: the set-up page of a site without accounts, and its checks, which live on as the page System status."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.contrib.messages import success
from django.db import DatabaseError, InterfaceError, connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.services.core.errors import NotFound, ServiceError
from annotation.services.operations.site_checks import RequestFacts, check_site
from annotation.services.people import first_admin
from annotation.views.accounts.forms import FirstAdminForm
from annotation.views.core.client_ip import client_address
from annotation.views.core.decorators import add_service_error, current_user, restrict_methods, signed_in
from annotation.views.core.errors import add_retry_after

BACKEND = "annotation.sessions.Backend"
OPEN_PATHS = ("/setup/", "/theme/", "/language/")
RETRY_SECONDS = 30
"""After which a script that was told that the site is not set up should ask again."""


class SetupGate:
    """While the site has no account, send every page to the set-up page. Asks the database until one was seen."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self.is_set_up = False

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if self.is_set_up or request.path in OPEN_PATHS or not self._is_setup_open():
            return self.get_response(request)
        if request.path.startswith("/api/"):
            body = {"type": "about:blank", "title": "Service unavailable", "status": 503, "code": "setup"}
            problem = {**body, "detail": _("This site is not set up yet. Open it in a browser."), "errors": []}
            wait = {"Retry-After": str(RETRY_SECONDS)}
            return JsonResponse(problem, status=503, content_type="application/problem+json", headers=wait)
        return redirect("setup")

    def _is_setup_open(self) -> bool:
        try:
            is_open = first_admin.is_setup_open()
        except (DatabaseError, InterfaceError):  # the pages themselves say what is wrong with the database
            connection.close()
            return False
        self.is_set_up = settings.EPITOME_SETUP_PAGE and not is_open
        return is_open


@partial(restrict_methods, methods=("GET", "HEAD", "POST"))
def set_up_site(request: HttpRequest) -> HttpResponse:
    """Create the first admin with the code of the log. Not found for everybody once an account exists."""
    if not first_admin.is_setup_open():
        raise NotFound()
    form, status = FirstAdminForm(request.POST or None), 200
    error: ServiceError | None = None
    if request.method == "POST" and form.is_valid():
        values = {name: form.cleaned_data[name] for name in ("code", "username", "password", "email")}
        try:
            user = first_admin.create_first_admin(**values, address=client_address(request))
        except NotFound:
            raise
        except ServiceError as refusal:
            error = refusal
            add_service_error(form, error)
        else:
            login(request, user, backend=BACKEND)
            success(request, _("Admin account created. Create the first project now."))
            return redirect("project-new")
    first_admin.announce_code()
    if form.errors:
        status = error.status if error else 422
    response = render(request, "registration/setup.html", {"form": form, **_check_context(request)}, status=status)
    return add_retry_after(response, error) if error else response


@signed_in()
def show_site_status(request: HttpRequest) -> HttpResponse:
    """The checks, for site admins."""
    if not current_user(request).is_superuser:
        raise NotFound()
    return render(request, "registration/site_status.html", _check_context(request))


def _check_context(request: HttpRequest) -> dict[str, Any]:
    facts = RequestFacts(
        host=request.get_host(),
        is_secure=request.is_secure(),
        forwarded_scheme=request.headers.get("X-Forwarded-Proto", "").partition(",")[0].strip(),
    )
    checks = check_site(facts)
    return {"checks": checks, "n_ready": sum(check.is_ready for check in checks)}
