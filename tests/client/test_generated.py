"""The committed calls of the client are those of the API."""

import inspect

import pytest

from epitome.client.generated.calls import Calls
from tests.library.test_imports import HEAVY, WEB, modules_after
from tools import client_generator


def test_make_client_changes_nothing():
    files = client_generator.generate_files(client_generator.read_site_document())
    stale = [name for name, text in files.items() if (client_generator.TARGET / name).read_text("utf-8") != text]
    assert not stale, f"{', '.join(stale)} in epitome/client/generated: run make client and commit the result"


def test_every_call_is_described():
    methods = [method for name, method in inspect.getmembers(Calls, inspect.isfunction) if not name.startswith("_")]
    assert len(methods) > 150
    assert all(inspect.getdoc(method) for method in methods)


def test_what_the_generator_does_not_know_ends_it():
    call = {"operationId": "a", "responses": {"200": {}}, "requestBody": {"content": {"text/plain": {"schema": {}}}}}
    document = {"paths": {"/api/v1/a/": {"post": call}}, "components": {"schemas": {}}}
    with pytest.raises(client_generator.NotUnderstood, match="a: a body of text/plain"):
        client_generator.generate_files(document)


def test_the_client_needs_the_standard_library_alone():
    modules = modules_after("import epitome.client")
    assert "epitome.client.generated.calls" in modules
    others = WEB | HEAVY | {"numpy", "requests", "httpx", "annotation", "evaluation", "modelbridge"}
    assert not others & modules
