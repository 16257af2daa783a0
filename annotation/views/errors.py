"""Error pages."""

from django.http import HttpRequest, HttpResponse


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return HttpResponse("400", status=400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return HttpResponse("403", status=403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return HttpResponse("404", status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    return HttpResponse("500", status=500)
