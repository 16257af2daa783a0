"""Callers of the API."""

import json

import pytest
from django.test import Client

from tests.api.conftest import built, world  # noqa: F401
from tests.tasks.factories import make_tokens


class Caller:
    """One person's calls by token, with JSON in and out."""

    def __init__(self, person):
        self.person = person
        self.client = Client(headers={"Authorization": f"Token {make_tokens([person])[0]}"})

    def __call__(self, method, path, body=None, **headers):
        answer = self.client.generic(
            method,
            f"/api/v1/{path}",
            b"" if body is None else json.dumps(body).encode(),
            "application/json",
            headers={name.replace("_", "-"): value for name, value in headers.items()},
        )
        answer.data_out = json.loads(answer.content) if answer.content else None
        return answer

    def claim(self, slug="news"):
        return self("POST", f"projects/{slug}/assignments/claim/")

    def submit(self, task_id, body, key="key-1"):
        return self("POST", f"assignments/{task_id}/submit/", {"payload": body}, Idempotency_Key=key)


@pytest.fixture
def call():
    return Caller
