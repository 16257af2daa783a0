"""Middleware for private responses, service errors as error pages, and expired sessions."""

from collections.abc import Callable
from typing import cast

from django.contrib.auth import SESSION_KEY, logout
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.utils.cache import add_never_cache_headers
from django.utils.functional import SimpleLazyObject

from annotation.services.accounts.sessions import SessionStore, signed_in_person
from annotation.services.core.errors import NotFound, ServiceError
from annotation.views.core import errors


class PrivateAnswers:
    """Mark responses as not cacheable unless they set Cache-Control; render service errors as pages."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if not response.has_header("Cache-Control"):
            add_never_cache_headers(response)
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, NotFound):
            return errors.not_found(request, exception)
        return errors.service_error(request, exception) if isinstance(exception, ServiceError) else None


class OwnErrorPages:
    """The innermost middleware: a page in place of the empty 405 of a view that does not take the method."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if not isinstance(response, HttpResponseNotAllowed):
            return response
        page = errors.method_not_allowed(request)
        page["Allow"] = response["Allow"]
        return page


class Authentication(AuthenticationMiddleware):
    """Like Django's, but saves one query: see annotation.services.accounts.sessions."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        request.user = SimpleLazyObject(lambda: signed_in_person(request))  # type: ignore[assignment]


class SessionsEnd:
    """End sessions that are expired or idle too long, or whose user may not sign in any more."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        session = cast(SessionStore, request.session)
        if session.session_key is not None and SESSION_KEY in session:
            if session.is_over() or not request.user.is_authenticated:
                logout(request)
            else:
                session.note_use()
        return self.get_response(request)
