"""The OpenAPI document: valid, without a warning, and true to the calls."""

import json
import re

import pytest
from django.core.management import call_command

from annotation.api.exports.exports import STREAMED
from annotation.services.exports.export_plan import FORMATS
from evaluation.services.reports import judgements
from tests.api.access_table import list_calls, urlpatterns
from tests.conftest import ROOT

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    """Fails on an error of the document's schema and on any warning of its making."""
    file = tmp_path_factory.mktemp("openapi") / "openapi.json"
    call_command("spectacular", validate=True, fail_on_warn=True, format="openapi-json", file=str(file))
    return json.loads(file.read_text())


def test_every_call_is_described(document):
    described = {
        (call["operationId"], path, method.upper())
        for path, methods in document["paths"].items()
        for method, call in methods.items()
    }
    assert len({name for name, _path, _method in described}) == len(described) == len(list_calls())
    assert len(document["paths"]) == len(urlpatterns)


@pytest.mark.parametrize(
    ("call", "types"),
    [
        ("round_judgements", {kind.partition(";")[0] for _export, kind in judgements.EXPORTS.values()}),
        ("export_stream", {FORMATS[name] for name in STREAMED}),
    ],
)
def test_a_file_is_described_in_every_format(document, call, types):
    (described,) = (
        method for methods in document["paths"].values() for method in methods.values() if method["operationId"] == call
    )
    assert set(described["responses"]["200"]["content"]) == types


def test_every_call_describes_its_refusals(document):
    for path, methods in document["paths"].items():
        for method, call in methods.items():
            result = {"400", "401", "403", "404"} | (set() if method == "get" else {"409", "413", "415", "422", "429"})
            assert result <= set(call["responses"]), path
            for status in result:
                shape = call["responses"][status]["content"]["application/problem+json"]["schema"]
                assert shape == {"$ref": "#/components/schemas/Problem"}
            assert any(status.startswith("2") for status in call["responses"])
            assert call["security"]


def test_lists_show_the_envelope(document):
    for name in ("documents", "samples", "annotations", "jobs", "members", "releases", "selections"):
        call = document["paths"][f"/api/v1/projects/{{slug}}/{name}/"]["get"]
        shape = call["responses"]["200"]["content"]["application/json"]["schema"]["$ref"].rsplit("/", 1)[1]
        assert set(document["components"]["schemas"][shape]["properties"]) == {"count", "next", "previous", "results"}
        assert {"page", "page_size"} <= {row["name"] for row in call["parameters"]}


def test_the_import_is_multipart_and_a_submit_names_its_key(document):
    sent = document["paths"]["/api/v1/projects/{slug}/imports/"]["post"]["requestBody"]["content"]
    assert list(sent) == ["multipart/form-data"]
    shape = document["components"]["schemas"][sent["multipart/form-data"]["schema"]["$ref"].rsplit("/", 1)[1]]
    assert shape["properties"]["file"]["format"] == "binary"
    submit = document["paths"]["/api/v1/assignments/{public_id}/submit/"]["post"]
    assert [(row["name"], row["required"]) for row in submit["parameters"] if row["in"] == "header"] == [
        ("Idempotency-Key", True)
    ]


@pytest.mark.parametrize("query", ["", "?version=%0d%0aX:1", "?lang=../../x", "?lang=%00", "?format=yaml"])
def test_it_is_served_to_anybody_as_json(client, query, document):
    answer = client.get(f"/api/schema/{query}", headers={"Accept": "application/yaml"})
    assert answer.status_code == 200
    assert json.loads(answer.content)["paths"] == document["paths"]
    assert client.post("/api/schema/").headers["Content-Type"] == "application/problem+json"


def test_the_guide_names_every_call_and_no_other():
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    rooms = "projects|documents|annotations|jobs|tokens|assignments|questions|systems|runs|samples|rounds|items|rating"
    rooms += "|pilot-samples|pilot-candidates|crowd-links|invitations|steering|draws|judge-checks|rewrites"
    rooms += "|notes|practice-items|round-templates|publications|webhooks|trainings|training-groups"
    words = set(re.findall(rf"`(GET|POST|PUT|PATCH|DELETE) ((?:{rooms})/[^`?]*)`", text))
    routes = {row.name: row.pattern._route for row in urlpatterns}
    results = {
        (
            method,
            routes[name]
            .replace("<slug:slug>", "{slug}")
            .replace("<uuid:public_id>", "{id}")
            .replace("<uuid:job>", "{job}"),
        )
        for name, method in list_calls()
    }
    assert words == results
