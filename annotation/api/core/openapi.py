"""The OpenAPI document at /api/schema/: authentication schemes and the error responses of every operation."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.renderers import OpenApiJsonRenderer2
from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from drf_spectacular.views import SpectacularAPIView
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

Call = TypeVar("Call", bound=Callable[..., Any])
PAGE_PARAMETERS = [
    OpenApiParameter("page", {"type": "integer", "minimum": 1}, description="from 1"),
    OpenApiParameter("page_size", {"type": "integer", "minimum": 1}, description="50 where not given, at most 200"),
]
REFUSALS = {
    400: "The query or the body cannot be read.",
    401: "Nobody is signed in, or the token is unknown, expired or revoked.",
    403: "The token may only read, the CSRF token is missing, or the account may not do this.",
    404: "There is no such thing, or it is not the caller's: the two look alike.",
    409: "Somebody or something else was first; nothing was overwritten.",
    413: "The body is larger than allowed.",
    415: "The body is of another type than the call takes.",
    422: "A value is missing or cannot be used; the field is named.",
    429: "Too many writes in one minute; Retry-After says when to go on.",
}
ALWAYS = (400, 401, 403, 404)
WRITING = (409, 413, 415, 422, 429)
READING = ("get", "head", "options")
TEXT = {"type": "string"}
PROBLEM: Mapping[str, Any] = {
    "type": "object",
    "description": "Problem details (RFC 9457). Some calls add fields, such as both texts where a draft is stale.",
    "required": ["type", "title", "status", "detail", "code", "errors"],
    "properties": {
        "type": TEXT,
        "title": TEXT,
        "status": {"type": "integer"},
        "detail": {**TEXT, "description": "what was wrong and what to do, for people"},
        "code": {**TEXT, "description": "one word for programs"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "message"],
                "properties": {"field": TEXT, "message": TEXT},
            },
        },
    },
}


class TokenScheme(OpenApiAuthenticationExtension):
    target_class = "annotation.api.core.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "`Authorization: Token ept_...`; tokens are made on the page /tokens/",
        }


class SessionScheme(OpenApiAuthenticationExtension):
    target_class = "annotation.api.core.authentication.SessionAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        from django.conf import settings

        return {
            "type": "apiKey",
            "in": "cookie",
            "name": settings.SESSION_COOKIE_NAME,
            "description": "the browser's session; calls that write need the header X-CSRFToken too",
        }


def document_call(
    operation: str,
    summary: str,
    *,
    answers: Mapping[Any, Any],
    request: Any = None,
    parameters: Sequence[OpenApiParameter] = (),
    tag: str,
) -> Callable[[Call], Call]:
    """Describe an operation's request and responses; `describe_refusals` adds the error responses to each."""
    decorate: Callable[[Call], Call] = extend_schema(
        operation_id=operation,
        summary=summary,
        request=request,
        responses=dict(answers),
        parameters=list(parameters),
        tags=[tag],
    )
    return decorate


def page_serializer(shape: type[serializers.BaseSerializer[Any]]) -> serializers.Serializer[Any]:
    """The pagination envelope around a list of `shape`."""
    return inline_serializer(
        name=shape.__name__.removesuffix("Out") + "Page",
        fields={
            "count": serializers.IntegerField(help_text="rows in all"),
            "next": serializers.URLField(allow_null=True),
            "previous": serializers.URLField(allow_null=True),
            "results": shape(many=True),
        },
    )


def describe_refusals(result: dict[str, Any], **_context: Any) -> dict[str, Any]:
    """Postprocessing hook: adds problem details to every operation and keeps the descriptions it already has."""
    result["components"].setdefault("schemas", {})["Problem"] = dict(PROBLEM)
    body = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for calls in result["paths"].values():
        for method, call in calls.items():
            for status in (*ALWAYS, *(() if method in READING else WRITING)):
                call["responses"].setdefault(str(status), {"description": REFUSALS[status]})
            for status, answer in call["responses"].items():
                if status.startswith("4"):
                    answer.setdefault("content", body)
            call["responses"] = dict(sorted(call["responses"].items()))
    return result


class SchemaDocument(SpectacularAPIView):
    """The OpenAPI document, as JSON. Nothing of the query string is used, neither its version nor its language."""

    renderer_classes = [OpenApiJsonRenderer2]
    throttle_classes = ()

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        document = self.generator_class(api_version="1").get_schema(request=request, public=self.serve_public)
        return Response(document, headers={"Content-Disposition": 'inline; filename="Epitome (1).json"'})
