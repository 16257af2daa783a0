"""What holds for every answer: private unless it says otherwise; "not yours" is a 404; a refusal says why."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import add_never_cache_headers

from annotation.services.errors import NotFound, ServiceError
from annotation.views import errors


class PrivateAnswers:
    """Nothing here is for a shared cache or for the next person at this screen."""

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
        return errors.refused(request, exception) if isinstance(exception, ServiceError) else None
