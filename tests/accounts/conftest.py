"""A provider of sign-in, and browsers that go there and back."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
import requests
from django.test import Client

from tests.accounts.provider import Provider, open_provider


@pytest.fixture
def provider(settings) -> Iterator[Provider]:
    """A provider that the site signs people in at, beside passwords."""
    with open_provider() as provider:
        settings.EPITOME_OIDC = provider.build_settings()
        yield provider


@pytest.fixture
def sign_in(provider):
    """sign_in(next, client=None) -> (client, answer of the site) after the way through the provider."""

    def go(next_url: str = "/", client: Client | None = None):
        client = client or Client()
        return client, client.get(come_back(client, next_url))

    return go


def come_back(client: Client, next_url: str = "/") -> str:
    """The address to which the provider sends the browser back."""
    there = client.get("/sign-in/provider/", {"next": next_url})
    assert there.status_code == 302, there.content.decode()
    return follow(there)


def follow(there) -> str:
    """The address to which the provider answers a browser that was sent there."""
    back = requests.get(there.headers["Location"], allow_redirects=False, timeout=10).headers["Location"]
    result = urlsplit(back)
    assert result.path == "/sign-in/provider/answer/"
    return f"{result.path}?{result.query}"
