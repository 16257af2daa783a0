"""Whatever the language of a page: attributes, form values, addresses, figures and JSON hold the same values."""

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from tests.example.conftest import finished_project  # noqa: F401  a fixture
from tests.example.test_finished_example import list_page_urls
from tests.languages.page_values import list_differences
from tests.languages.pseudo import speak_pseudo
from tests.pages.access_table import PAGES, addresses  # noqa: F401  a fixture
from tests.pages.conftest import World, job, world  # noqa: F401  fixtures

pytestmark = pytest.mark.django_db
ROLES = ("admin", "site", "annotator", "rater", "reviewer")


def read_page(client: Client, url: str, language: str) -> str | None:
    """The page in a language; None where the address answers no page."""
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = language
    response = client.get(url)
    if response.status_code != 200 or not response["Content-Type"].startswith("text/html") or response.streaming:
        return None
    return response.content.decode()


def compare_page(client: Client, url: str) -> list[str] | None:
    """The differences that two readings have in common: a signed value differs where a second turns between pages."""
    read_page(client, url, "en")  # takes the messages of earlier pages
    differences: list[str] | None = None
    for _reading in range(2):
        english, other = read_page(client, url, "en"), read_page(client, url, "de")
        if english is None or other is None:
            return None
        again = list_differences(english, other)
        differences = again if differences is None else [line for line in differences if line in again]
        if not differences:
            break
    return differences


def collect(pages: list[tuple[Client, str]], at_least: int) -> list[str]:
    results = {url: compare_page(client, url) for client, url in pages}
    assert sum(result is not None for result in results.values()) >= at_least
    return [f"{url}: {line}" for url, result in results.items() for line in dict.fromkeys(result or ())]


def test_no_page_of_the_access_table_changes_its_values(world: World, addresses, monkeypatch):  # noqa: F811
    speak_pseudo(monkeypatch)
    pages = []
    for name, (method, _what, who) in PAGES.items():
        person = next((role for role in (*ROLES, "anonymous") if role in who), None)
        if method == "get" and person is not None:
            pages.append((world.as_(person), addresses[name]))

    faults = collect(pages, at_least=90)

    assert not faults, "\n".join(faults)


@pytest.mark.slow
def test_no_page_of_the_finished_example_changes_its_values(finished_project, monkeypatch):  # noqa: F811
    speak_pseudo(monkeypatch)
    client = Client()
    client.force_login(User.objects.get(username="researcher"))

    faults = collect([(client, url) for url in list_page_urls(finished_project)], at_least=30)

    assert not faults, "\n".join(faults)
