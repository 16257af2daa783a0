"""The reference of the API is a page of the help: every call of the OpenAPI document stands on it."""

import html
import re

from django.test import Client

from annotation.views.help.api_reference import list_groups, read_document


def test_every_call_of_the_document_is_on_the_page(db):
    page = html.unescape(Client().get("/help/api-reference/").content.decode())
    words = set(re.findall(r"<code>(GET|POST|PUT|PATCH|DELETE) (/api/\S+?)</code>", page))
    document = Client().get("/api/schema/").json()
    methods = {(method.upper(), path) for path, value in document["paths"].items() for method in value}
    assert words == {(method, path) for method, path in methods if method != "PARAMETERS"}
    assert len(words) > 100


def test_fields_of_a_body_are_listed_with_types_choices_and_what_is_required():
    document = {
        "paths": {"/x/{id}/": {"post": {
            "tags": ["x"],
            "description": "Makes one. And says so.",
            "parameters": [{"name": "id", "required": True, "schema": {"type": "string", "format": "uuid"}}],
            "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/In"}}}},
            "responses": {"201": {"description": "made"}},
        }}},
        "components": {"schemas": {
            "In": {
                "required": ["kind"],
                "properties": {
                    "kind": {"allOf": [{"$ref": "#/components/schemas/Kind"}], "description": "what it is"},
                    "rows": {"type": "array", "items": {"type": "integer"}},
                    "made": {"type": "string", "readOnly": True},
                },
            },
            "Kind": {"enum": ["one", "two", ""]},
        }},
    }  # fmt: skip
    ((name, (call,)),) = read_document(document)
    assert (name, call.method, call.summary, call.description) == ("x", "POST", "Makes one", "And says so.")
    assert [tuple(field) for field in call.parameters] == [("id", "uuid", True, "")]
    assert [tuple(field) for field in call.body] == [
        ("kind", "one | two", True, "what it is"),
        ("rows", "list of integer", False, ""),
    ]
    assert call.codes == [("201", "made")]


def test_the_document_has_groups():
    assert {group.name for group in list_groups()} >= {"sources", "samples", "rounds", "jobs"}
