"""Several columns of summaries, and columns in doubt, by command, call and page."""

import json
from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from annotation.jobs import run_job
from annotation.models import Annotation, Group, Job, SourceDocument
from annotation.views.sources.licences import NO_RELEASE

pytestmark = pytest.mark.django_db
TEXT = "The harbour board met on Monday and agreed to widen the north pier."
NUMBERED = {
    "fname": "t0", "article": TEXT, "summary1": "The pier is widened.", "topic1": "pier",
    "summary2": "The board widens a pier.", "topic2": "board",
}  # fmt: skip
IN_DOUBT = {
    "id": "a",
    "article": TEXT,
    "highlights": "Pier wider, says the board.",
    "abstract": "A board widens a pier.",
}


def run(*arguments):
    out = StringIO()
    call_command("import_sources", "news", *map(str, arguments), stdout=out)
    return out.getvalue()


def topics():
    return list(Group.objects.order_by("pk").values_list("chosen", flat=True))


def test_the_command_imports_numbered_summaries_with_their_topics(news, jsonl):
    run(jsonl(NUMBERED), "--map", "auto")
    summaries = [annotation.payload["summary"] for annotation in Annotation.objects.order_by("pk")]
    assert summaries == [NUMBERED["summary1"], NUMBERED["summary2"]]
    assert topics() == [{"topic": ["pier"]}, {"topic": ["board"]}]


def test_the_page_shows_and_imports_them_too(news, jsonl, client, admin):
    client.force_login(admin)
    upload = SimpleUploadedFile("a.jsonl", jsonl(NUMBERED).read_bytes())
    address = client.post(reverse("import", args=["news"]), {"file": [upload]}).url
    page = client.get(address)
    fields = page.context["form"].fields
    chosen = {name: fields[f"column-{index}"].initial for index, name in enumerate(page.context["preview"].columns)}
    assert chosen == {
        "fname": "id", "article": "text", "summary1": "summary", "topic1": "attribute:topic", "summary2": "summary",
        "topic2": "attribute:topic",
    }  # fmt: skip
    client.post(address, {"permission": NO_RELEASE})
    run_job(Job.objects.get(kind="import").pk)
    assert topics() == [{"topic": ["pier"]}, {"topic": ["board"]}]


def test_what_is_in_doubt_is_named(news, jsonl, client, admin):
    assert "note: the summary could also be in abstract" in run(jsonl(IN_DOUBT), "--preview")
    client.force_login(admin)
    upload = SimpleUploadedFile("a.jsonl", jsonl(IN_DOUBT).read_bytes())
    preview = client.post("/api/v1/projects/news/imports/preview/", {"file": upload}).json()
    assert preview["doubts"] == [{"field": "summary", "chosen": "highlights", "others": ["abstract"]}]
    assert "note: the summary could also be in abstract" in run(jsonl(IN_DOUBT), "--map", "auto")
    assert SourceDocument.objects.count() == 1


def test_a_list_of_sentences_can_be_read_as_one_summary(news, jsonl):
    row = {"id": "a", "text": TEXT, "summary": ["The pier is widened.", "It takes two years."]}
    preview = json.loads(run(jsonl(row), "--preview", "--json"))
    assert preview["doubts"] == [{"field": "summary_lists", "chosen": "several", "others": ["summary"]}]
    run(jsonl(row), "--map", "auto", "--summary-lists", "pieces")
    [annotation] = Annotation.objects.all()
    assert annotation.payload["summary"] == "The pier is widened. It takes two years."
