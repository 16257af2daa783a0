"""Before a file is imported: what would be stored, in counts, by command, call and page; afterwards the result's."""

import json
from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from annotation.jobs import run_job
from annotation.models import Annotation, Job, Sample, SourceDocument
from annotation.services.sources import import_words
from annotation.views.sources.licences import NO_RELEASE

pytestmark = pytest.mark.django_db
TEXT, OTHER = (
    "The pier in the harbour is made wider over two years.",
    "It rained on the valley for two days and nights.",
)
ROWS = [
    {"id": "a", "text": TEXT, "summary": "Pier grows.", "status": "submitted", "annotator": "Kim"},
    {"id": "a", "text": TEXT, "summary": "Wider pier.", "status": "draft", "annotator": "Lou"},
    {"id": "b", "text": OTHER, "summary": "Rain.", "status": "submitted", "annotator": "Lou"},
]
IN_WORDS = "2 texts, 3 summaries: 2 taken, 1 draft left out; written by 2 people, stored as pseudonyms"


@pytest.fixture
def table(jsonl):
    return jsonl(*ROWS, name="answers.jsonl")


def run(*arguments):
    out = StringIO()
    call_command("import_sources", "news", *map(str, arguments), stdout=out)
    return out.getvalue()


def upload(table):
    return SimpleUploadedFile(table.name, table.read_bytes())


def test_the_command_counts_what_would_be_stored(news, table):
    assert IN_WORDS in run(table, "--preview")
    preview = json.loads(run(table, "--preview", "--json"))
    assert preview["counts"] == {
        "n_read": 3, "is_whole": True, "n_sources": 2, "n_references": 2, "left_out": {"draft": 1}, "n_authors": 2,
        "n_faults": 0,
    }  # fmt: skip
    assert not SourceDocument.objects.exists()


def test_the_call_says_the_same_as_the_command(news, table, client, admin):
    client.force_login(admin)
    answer = client.post("/api/v1/projects/news/imports/preview/", {"file": upload(table)})
    assert answer.status_code == 200
    assert answer.json() == json.loads(run(table, "--preview", "--json"))
    assert not SourceDocument.objects.exists()


def test_the_call_refuses_what_cannot_be_read(news, client, admin):
    client.force_login(admin)
    file = SimpleUploadedFile("scan.csv", b"\x89PNG\r\n\x1a\n")
    answer = client.post("/api/v1/projects/news/imports/preview/", {"file": file})
    assert answer.status_code == 422
    assert "is a picture" in answer.content.decode()


def test_a_long_file_is_counted_in_part_and_says_so(news, jsonl):
    rows = [{"id": f"d{number}", "text": TEXT} for number in range(2500)]
    counts = json.loads(run(jsonl(*rows), "--preview", "--json"))["counts"]
    assert not counts["is_whole"] and counts["n_sources"] == counts["n_read"] <= 2000
    assert " rows\n" in run(jsonl(*rows), "--preview").partition("texts, in the first ")[2]


def test_the_page_asks_which_states_are_taken_and_its_result_counts_the_rest(news, table, client, admin):
    client.force_login(admin)
    address = client.post(reverse("import", args=["news"]), {"file": [upload(table)]}).url
    page = client.get(address).content.decode()
    assert IN_WORDS in page
    assert "Summaries that are imported" in page and "Drafts" in page
    sent = {"answer_states": ["draft"], "permission": NO_RELEASE}
    result = client.post(address, sent)
    assert result.status_code == 302, result.content.decode()
    job = Job.objects.get()
    run_job(job.pk)
    assert [row.payload["summary"] for row in Annotation.objects.all()] == ["Wider pier."]
    page = client.get(result.url).content.decode()
    assert "2 texts, 3 summaries: 1 taken, 2 submitted left out; written by 1 person, stored as a pseudonym" in page


def test_the_command_takes_states_that_are_named_and_reports_the_rest(news, table):
    report = run(table, "--map", "auto", "--answer-states", "submitted", "--answer-states", "draft")
    assert "3 summaries added; written by 2 people, stored as pseudonyms" in report
    stored = json.dumps(list(Annotation.objects.values_list("raw_json", flat=True)))
    assert "Kim" not in stored and "Lou" not in stored


def test_remarks_of_the_reader_are_shown_before_and_after(news, jsonl, client, admin):
    client.force_login(admin)
    file = jsonl({"id": "a", "text": "word"}, {"id": "b", "text": "other"}, {"id": "c", "text": TEXT})
    remark = "line 1 and 1 more: the text is one word; is this the column of the texts?"
    assert f"note: {remark}" in run(file, "--preview")
    page = client.get(client.post(reverse("import", args=["news"]), {"file": [upload(file)]}).url).content.decode()
    assert remark in page
    assert f"note: {remark}" in run(file)


def test_who_wrote_is_known_to_the_project_and_a_pseudonym_in_exports(news, table, tmp_path):
    run(table, "--map", "auto", "--may-release-text")
    names = [json.loads(raw)["author_name"] for raw in Sample.objects.order_by("pk").values_list("raw_json", flat=True)]
    assert names == ["Kim", "Lou"]
    target = tmp_path / "out.jsonl"
    call_command("export", "news", "--output", str(target), "--format", "jsonl", stdout=StringIO(), stderr=StringIO())
    lines = [json.loads(line) for line in target.read_text().splitlines()]
    authors = [json.loads(line["raw"])["raw_extra"]["author"] for line in lines if line.get("origin") == "import"]
    assert len(set(authors)) == 2
    assert "Kim" not in target.read_text() and "Lou" not in target.read_text()


def test_the_page_asks_what_is_doubtful(news, jsonl, client, admin):
    client.force_login(admin)
    pieces = ["The pier is made wider.", "It takes two years."]
    rows = [{"id": "a", "text": TEXT, "summary": pieces}, {"id": "b", "text": OTHER, "summary": pieces}]
    file = jsonl(*rows)
    address = client.post(reverse("import", args=["news"]), {"file": [upload(file)]}).url
    assert "A list of texts in the column of the summaries is" in client.get(address).content.decode()
    client.post(address, {"permission": NO_RELEASE, "summary_lists": "pieces"})
    run_job(Job.objects.get().pk)
    assert {row.payload["summary"] for row in Annotation.objects.all()} == {" ".join(pieces)}


@pytest.mark.parametrize(("language", "n_sentences"), [("en", 0), ("de", 1)])
def test_a_refused_file_has_its_remedy_in_the_page_language(news, client, admin, monkeypatch, language, n_sentences):
    monkeypatch.setattr(import_words, "_", lambda text: f"[translated] {text}")
    client.force_login(admin)
    client.cookies["language"] = language
    address = client.post(reverse("import", args=["news"]), {"file": [SimpleUploadedFile("empty.jsonl", b"  \n")]}).url
    page = client.get(address).content.decode()
    assert "holds no record" in page
    assert page.count("[translated] The file holds no rows") == n_sentences
