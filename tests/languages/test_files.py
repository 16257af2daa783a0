"""Files and reports are the same bytes, whatever language their reader has."""

import uuid

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from evaluation.models import Round, RoundState
from modelbridge.models import Run
from tests.example.conftest import finished_project  # noqa: F401  a fixture
from tests.languages.pseudo import OPEN, speak_pseudo
from tests.reports.stored_tables import compute_tables
from tests.tasks.factories import make_project

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def list_file_urls(project) -> list[str]:
    slug = project.slug
    round_ = Round.objects.filter(project=project, state=RoundState.UNBLINDED).earliest("pk")
    run = Run.objects.filter(project=project).latest("pk")
    report = reverse("round-report-file", args=[slug, round_.public_id])
    tables = reverse("project-tables-file", args=[slug]) + f"?run={run.public_id}"
    statistics = reverse("statistics-file", args=[slug])
    return [
        *(f"{report}?format={ending}" for ending in ("csv", "latex", "json", "html")),
        *(f"{tables}&format={ending}" for ending in ("csv", "latex", "json")),
        *(f"{statistics}?table=size&format={ending}" for ending in ("csv", "tex")),
        reverse("ledger-file", args=[slug]),
        reverse("run-file", args=[slug, run.public_id]),
        reverse("round-design", args=[slug, round_.public_id]),
        reverse("round-judgements", args=[slug, round_.public_id]) + "?format=csv&notes=1",
        reverse("round-judgements", args=[slug, round_.public_id]),
        reverse("api-export", args=[slug]),
    ]


def read_file(client: Client, url: str, language: str) -> tuple[int, bytes]:
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = language
    response = client.get(url)
    body = b"".join(response.streaming_content) if response.streaming else response.content
    return response.status_code, body


def test_files_are_the_same_bytes_in_every_language(finished_project, monkeypatch):  # noqa: F811
    speak_pseudo(monkeypatch)
    client = Client()
    client.force_login(User.objects.get(username="researcher"))
    run = Run.objects.filter(project=finished_project).latest("pk")
    compute_tables(client, reverse("project-tables", args=[finished_project.slug]) + f"?run={run.public_id}")
    answers = {
        url: (read_file(client, url, "en"), read_file(client, url, "de")) for url in list_file_urls(finished_project)
    }

    assert [url for url, (english, other) in answers.items() if english != other] == []
    assert [url for url, (english, _other) in answers.items() if english[0] != 200] == []
    assert [url for url, (_english, (_status, body)) in answers.items() if OPEN.encode() in body] == []


def test_the_body_of_a_report_is_english_and_its_page_is_not(finished_project, monkeypatch):  # noqa: F811
    speak_pseudo(monkeypatch)
    client = Client()
    client.force_login(User.objects.get(username="researcher"))
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "de"
    round_ = Round.objects.filter(project=finished_project, state=RoundState.UNBLINDED).earliest("pk")

    page = client.get(reverse("round-report", args=[finished_project.slug, round_.public_id])).content.decode()

    head, _sign, story = page.partition('<div class="story" lang="en" dir="ltr">')
    assert OPEN in head and OPEN not in story.partition("</main>")[0]


def test_a_page_in_place_of_a_file_is_in_the_readers_language(monkeypatch):
    speak_pseudo(monkeypatch)
    project = make_project(documents=1)
    client = Client()
    client.force_login(User.objects.create_superuser("operator"))
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "de"

    response = client.get(reverse("run-file", args=[project.slug, uuid.uuid4()]))

    assert response.status_code == 404
    assert f"{OPEN}Page not found" in response.content.decode()
