"""The reference of the API as a page of the help, drawn from the OpenAPI document: nothing is loaded from elsewhere."""

import functools
from collections.abc import Mapping
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.views.decorators.http import require_safe

METHODS = ("get", "post", "put", "patch", "delete")


class Field(NamedTuple):
    """A parameter, or a field of a body. type_words: its type in words, with the values that are allowed."""

    name: str
    type_words: str
    is_required: bool
    description: str


class Operation(NamedTuple):
    """One call. codes: the answers' status codes with what they mean where the document says so."""

    method: str
    path: str
    summary: str
    description: str
    parameters: list[Field]
    body: list[Field]
    codes: list[tuple[str, str]]


class Group(NamedTuple):
    """The calls of one tag."""

    name: str
    operations: list[Operation]


@require_safe
def api_reference(request: HttpRequest) -> HttpResponse:
    return render(request, "annotation/help/api_reference.html", {"groups": list_groups()})


@functools.cache
def list_groups() -> tuple[Group, ...]:
    """Every call of the API, by tag, in English; made once per process, in about a second."""
    from drf_spectacular.generators import SchemaGenerator

    with translation.override("en"):
        return read_document(SchemaGenerator().get_schema(request=None, public=True))  # type: ignore[no-untyped-call]


def read_document(document: Mapping[str, Any]) -> tuple[Group, ...]:
    groups: dict[str, list[Operation]] = {}
    for path, methods in document["paths"].items():
        for method in METHODS:
            if method in methods:
                tag = (methods[method].get("tags") or [""])[0]
                groups.setdefault(tag, []).append(_read_operation(document, path, method, methods[method]))
    return tuple(Group(name, operations) for name, operations in sorted(groups.items()))


def _read_operation(document: Mapping[str, Any], path: str, method: str, call: Mapping[str, Any]) -> Operation:
    parameters = [
        Field(
            parameter["name"],
            _describe_kind(document, parameter.get("schema", {})),
            parameter.get("required", False),
            parameter.get("description", ""),
        )
        for parameter in call.get("parameters", [])
    ]
    contents = call.get("requestBody", {}).get("content", {})
    body: Mapping[str, Any] = next((content["schema"] for content in contents.values()), {})
    codes = [(code, answer.get("description", "")) for code, answer in call["responses"].items()]
    description, summary = call.get("description", ""), call.get("summary", "")
    if not summary:  # the first sentence is used instead
        summary, _dot, description = description.partition(". ")
    return Operation(method.upper(), path, summary, description, parameters, _list_fields(document, body), codes)


def _list_fields(document: Mapping[str, Any], schema: Mapping[str, Any]) -> list[Field]:
    schema = _resolve(document, schema)
    required = set(schema.get("required", []))
    return [
        Field(name, _describe_kind(document, field), name in required, _describe(document, field))
        for name, field in schema.get("properties", {}).items()
        if not field.get("readOnly")
    ]


def _resolve(document: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema that a reference, or an only member of allOf, names."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return _resolve(document, document["components"]["schemas"][name])
    if len(schema.get("allOf", ())) == 1:
        return {**_resolve(document, schema["allOf"][0]), **{k: v for k, v in schema.items() if k != "allOf"}}
    return schema


def _describe(document: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    text = schema.get("description") or _resolve(document, schema).get("description") or ""
    return str(text).partition("\n")[0]


def _describe_kind(document: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    schema = _resolve(document, schema)
    choices = [str(value) for value in schema.get("enum", []) if value not in ("", None)]
    if choices:
        return " | ".join(choices)
    for alternatives in ("oneOf", "anyOf"):
        if alternatives in schema:
            return " | ".join(dict.fromkeys(_describe_kind(document, variant) for variant in schema[alternatives]))
    kind = schema.get("type", "any")
    if kind == "array":
        return f"list of {_describe_kind(document, schema.get('items', {}))}"
    return str(schema.get("format", kind)) if kind == "string" else str(kind)
