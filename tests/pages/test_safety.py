"""No inline code, headers on every answer, tokens on every form, and text of people that stays text."""

import json
import re

import pytest
from django.apps import apps
from django.test import Client
from django.urls import reverse

from annotation.models import Candidate, Group, SourceDocument, SourceText
from tests.pages.access_table import PAGES
from tests.pages.conftest import PASSWORD

POLYGLOT = """"'><img src=x onerror=alert(1)><script>alert(2)</script>{{7*7}}"""
INLINE = re.compile(r"<[^>]*\s(style|on[a-z]+)\s*=", re.IGNORECASE)
SCRIPT = re.compile(r"<script(?![^>]*\ssrc=)(?![^>]*type=\"application/json\")", re.IGNORECASE)


@pytest.fixture
def pages(world, addresses):
    """Every page that can be read, as the person who may: (name, answer)."""
    fields = {}
    for name, (method, _what, who) in PAGES.items():
        if method == "get" and who:
            person = "annotator" if "annotator" in who and "admin" not in who else "admin"
            fields[name] = world.as_("anonymous" if "sign" in name or "reset" in name else person).get(addresses[name])
    fields["404"] = world.as_("admin").get("/nothing/")
    fields["400"] = world.as_("admin").get("/p/news/sources/?page=0")
    return fields


def test_no_page_carries_inline_style_or_script(pages):
    assert len(pages) > 25
    for name, answer in pages.items():
        text = "" if answer.streaming else answer.content.decode()
        assert not INLINE.search(text), (name, INLINE.search(text))
        assert not SCRIPT.search(text), name


def test_every_answer_is_private_and_carries_the_policy(pages):
    for name, answer in pages.items():
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'self'" in policy and "unsafe" not in policy, name
        assert "no-store" in answer.headers["Cache-Control"] and "private" in answer.headers["Cache-Control"], name
        assert answer.headers["X-Frame-Options"] == "DENY", name
        assert answer.headers["X-Content-Type-Options"] == "nosniff", name
        assert answer.headers["Referrer-Policy"] == "same-origin", name


def test_reading_pages_changes_no_row(world, addresses):
    for name in ("admin", "annotator", "outsider"):
        world.as_(name).get("/")

    state_before = rows()
    for name, (method, _what, _who) in PAGES.items():
        if method == "get":
            for person in ("admin", "annotator", "outsider"):
                world.as_(person).get(addresses[name])

    assert rows() == state_before


def rows() -> dict[str, int]:
    return {model._meta.label: model._base_manager.count() for model in apps.get_models() if model._meta.managed}


def test_every_form_refuses_to_be_sent_from_elsewhere(world, addresses):
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.force_login(world.people["admin"])
    posts = [name for name in PAGES if name not in ("task", "job", "job-state", "job-download")]
    for name in posts:
        answer = client.post(addresses[name], {"do": "add"})
        assert answer.status_code in (403, 405), (name, answer.status_code)
        if answer.status_code == 403:
            assert "This form has expired" in answer.content.decode(), name


def test_what_people_wrote_is_shown_as_text(world, job, addresses):
    SourceDocument.objects.update(title=POLYGLOT, licence=POLYGLOT, metadata_json=json.dumps({"note": POLYGLOT}))
    SourceText.objects.update(segments_json=json.dumps([{"speaker": POLYGLOT, "text": POLYGLOT}]))
    Candidate.objects.all().delete()
    document = SourceDocument.objects.order_by("pk").first()
    Candidate.objects.create(document=document, kind="topic", text=POLYGLOT, rank=1, extractor="x@1")
    Group.objects.update(chosen={"topic": [POLYGLOT]})
    type(world.project).objects.update(name=POLYGLOT)
    job.error = POLYGLOT
    job.faults = [{"line": 1, "column": 1, "field": POLYGLOT, "value": POLYGLOT, "message": POLYGLOT}]
    job.arguments = {"file_name": POLYGLOT}
    job.save()
    number = 0
    for name, (method, what, who) in PAGES.items():
        if method == "get" and (what or name == "home") and "admin" in who:
            answer = world.as_("admin").get(addresses[name])
            text = "" if answer.streaming else answer.content.decode()
            if answer.headers["Content-Type"].startswith("text/csv"):  # no browser shows it as a page
                assert answer.headers["Content-Disposition"].startswith("attachment")
                assert answer.headers["X-Content-Type-Options"] == "nosniff"
                continue
            assert "<img" not in text and "<script>alert" not in text, name
            number += "&lt;img src=x onerror" in text
    assert number >= 10


@pytest.mark.parametrize("state", ["queued", "running", "done", "failed", "dead", "cancelled"])
def test_a_jobs_words_are_text_in_every_state(world, job, state):
    job.state, job.error, job.progress_note = state, POLYGLOT, POLYGLOT
    job.save()

    text = world.as_("admin").get(f"/jobs/{job.public_id}/").content.decode()

    assert "<img" not in text and "<script>alert" not in text


def test_a_guideline_cannot_carry_html(world):
    text = (
        f"# Hello\n\n<script>alert(1)</script>\n\n{POLYGLOT}\n\n[x](javascript:alert(1)) ![y](http://127.0.0.1/y.png)"
    )
    answer = world.as_("admin").post("/p/news/guideline/edit/", {"text": text, "do": "preview"})
    html = answer.content.decode()

    assert answer.status_code == 200
    assert "<script>alert" not in html and "<img" not in html and 'href="javascript' not in html
    assert "&lt;script&gt;alert(1)" in html
    assert world.project.guideline_versions.count() == 1


@pytest.mark.parametrize(
    "target",
    ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"],
)
def test_no_form_leads_to_another_site(world, target):
    assert world.as_("admin").post("/theme/", {"theme": "dark", "next": target}).headers["Location"] == "/"
    client = Client()
    answer = client.post("/sign-in/", {"username": "admin", "password": PASSWORD, "next": target})
    assert answer.headers["Location"] == "/"


def test_a_broken_page_shows_words_and_no_trace(world, monkeypatch):
    def broken(*_args, **_kwargs):
        raise RuntimeError("secret detail")

    monkeypatch.setattr("annotation.services.staff.pipeline_counts.waiting_for", broken)
    answer = world.as_("admin").get(reverse("home"))

    assert answer.status_code == 500
    assert "Something went wrong on the server" in answer.content.decode()
    assert "secret detail" not in answer.content.decode() and "Traceback" not in answer.content.decode()


def test_an_upload_above_the_limit_is_refused_in_words(world, settings, tmp_path):
    settings.EPITOME_MAX_UPLOAD = 10_000
    file = tmp_path / "big.jsonl"
    file.write_bytes(b"x" * 20_000)
    with file.open("rb") as stream:
        answer = world.as_("admin").post("/p/news/import/", {"file": stream})

    assert answer.status_code == 413
    assert "oo large to send" in answer.content.decode()
    assert world.project.jobs.count() == 0
