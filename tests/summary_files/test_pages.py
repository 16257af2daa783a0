"""The second door's pages: what they recognise, refuse, store and say."""

import re

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.models import Job, Project
from annotation.services.core.errors import BadInput
from evaluation.models import Round, RoundState
from evaluation.views.summary_files import new_evaluation
from modelbridge.models import Run
from tests.pages.import_steps import shown
from tests.summary_files.tables import as_csv, as_jsonl, long_rows, wide_rows

pytestmark = pytest.mark.django_db
NEW = "/projects/new/evaluate/"


@pytest.fixture
def client():
    client = Client()
    client.force_login(User.objects.create_superuser("admin"))
    return client


def upload(client, content, name="news.csv"):
    answer = client.post(NEW, {"file": SimpleUploadedFile(name, content)})
    assert answer.status_code == 302, shown(answer)
    return answer.headers["Location"]


def create(client, content=None):
    address = upload(client, content or as_csv(wide_rows()))
    client.post(address, {"do": "create", "name": "News", "language": "en"})
    return Project.objects.get(slug="news")


def test_both_doors_stand_on_both_pages(client):
    for address in ("/projects/new/", NEW):
        page = shown(client.get(address))
        assert "Make a dataset" in page and "Evaluate summaries I have" in page


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (as_csv(wide_rows()), "news.csv"),
        (as_jsonl(wide_rows()), "news.jsonl"),
        (as_csv(long_rows()), "news.csv"),
    ],
    ids=["wide CSV", "wide JSON lines", "long CSV"],
)
def test_a_table_is_recognized_before_anything_is_stored(client, content, name):
    page = shown(client.get(upload(client, content, name)))
    assert "Texts 6 half have up to 33 words" in page and "Systems 2" in page
    assert "bart 6 –" in page and "lead 6 –" in page
    assert not Project.objects.exists()


def test_missing_summaries_are_named_before_anything_is_stored(client):
    rows = wide_rows()
    rows[1]["bart"], rows[4]["bart"], rows[4]["lead"] = "", "", ""
    page = shown(client.get(upload(client, as_csv(rows))))
    assert "bart 4 a1, a4" in page and "lead 5 a4" in page
    assert "4 of 6 texts have a summary of every system." in page


def test_creating_leads_to_both_ways_on(client):
    project = create(client)
    page = shown(client.get("/p/news/evaluate/"))
    assert "Project created with 6 texts." in page or project.documents.count() == 6
    assert "2 systems, 6 texts with a summary of every system" in page
    assert "Measure now" in page and "Start a blind round" in page
    assert Run.objects.filter(project=project).count() == 2


def test_columns_can_be_chosen(client):
    address = upload(
        client, as_csv([{"id": row["id"], "text": row["text"], "note": row["bart"]} for row in wide_rows()])
    )
    fields = {"name": "News", "language": "en", "column-0": "id", "column-1": "text", "column-2": "reference"}
    page = shown(client.post(address, {**fields, "do": "show"}))
    assert "References 6" in page and "Systems 0" in page
    client.post(address, {**fields, "do": "create"})
    assert not Run.objects.exists() and Project.objects.get().samples.count() == 6


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"column-1": "skip"}, "Set one column to “Text”"),
        ({"column-0": "text"}, "Two columns are set to “Text”. Choose one."),
        ({"column-2": "skip", "column-3": "skip", "column-4": "skip"}, "Set at least one column to"),
        ({"column-4": "system"}, "there is one column “Summaries of a system”"),
        ({"name": ""}, "This field is required."),
    ],
)
def test_what_cannot_be_is_said_and_nothing_stored(client, change, words):
    rows = wide_rows(systems=("bart", "lead"))
    address = upload(client, as_csv(rows))
    roles = ("id", "text", "reference", "output", "output")
    fields = {"name": "News", "language": "en", **{f"column-{index}": role for index, role in enumerate(roles)}}
    if change.get("column-4") == "system":
        change = {**change, "column-2": "output"}
    answer = client.post(address, {**fields, **change, "do": "create"})
    assert answer.status_code == 422 and words in shown(answer)
    assert not Project.objects.exists()


def test_a_row_without_a_text_is_named(client):
    rows = wide_rows()
    rows[2]["text"] = ""
    address = upload(client, as_csv(rows))
    assert "line 4: has no text" in shown(client.get(address))
    answer = client.post(address, {"do": "create", "name": "News", "language": "en"})
    assert answer.status_code == 422 and not Project.objects.exists()


def test_a_file_that_is_no_table_is_refused(client):
    page = shown(client.get(upload(client, b"Only a text.\nIn two lines.\n", "note.txt")))
    assert "This file cannot be used" in page and "note.txt: is no table" in page and "Create project" not in page


def test_a_refused_creation_keeps_the_page(client, monkeypatch):
    def refuse(**values):
        raise BadInput("The name is taken.", field="name")

    monkeypatch.setattr(new_evaluation, "create_project_from_table", refuse)
    address = upload(client, as_csv(wide_rows()))
    answer = client.post(address, {"do": "create", "name": "News", "language": "en"})
    assert answer.status_code == 422 and "The name is taken." in shown(answer)


def test_an_upload_belongs_to_the_person_who_made_it(client):
    address = upload(client, as_csv(wide_rows()))
    other = Client()
    other.force_login(User.objects.create_superuser("other"))
    answer = other.get(address, follow=True)
    assert answer.redirect_chain[-1][0] == NEW and "Upload it again." in shown(answer)


def test_measure_now_starts_the_table(client):
    project = create(client)
    answer = client.post("/p/news/evaluate/", {"do": "measure"})
    assert answer.headers["Location"].startswith("/p/news/runs/compare/?run=")
    assert Job.objects.filter(project=project, kind="run-scores").count() == 1


def test_a_blind_round_runs_after_one_press(client):
    project = create(client)
    fields = {"do": "round", "template": "overall-quality", "n_texts": 6, "n_raters": 3, "name": "First"}
    page = client.post("/p/news/evaluate/", fields)
    assert "The round is running: 18 items for each rater." in shown(page)
    assert len(set(re.findall(r"/take-part/[^/]+/\?rater=\w+", page.content.decode()))) == 3
    assert Round.objects.get(project=project).state == RoundState.OPEN
    again = client.post("/p/news/evaluate/", fields)
    assert again.status_code == 422 and "already a round with that name" in shown(again)


def test_too_many_texts_are_refused_beside_the_field(client):
    create(client)
    fields = {"do": "round", "template": "overall-quality", "n_texts": 7, "n_raters": 1, "name": "First"}
    answer = client.post("/p/news/evaluate/", fields)
    assert answer.status_code == 422 and "6 texts have a summary of every system." in shown(answer)
    assert not Round.objects.exists()


def test_references_alone_offer_a_round_and_no_measures(client):
    rows = [{"id": row["id"], "text": row["text"], "reference": row["reference"]} for row in wide_rows()]
    create(client, as_csv(rows))
    page = shown(client.get("/p/news/evaluate/"))
    assert "There are references only." in page and "Start a blind round" in page
    fields = {"do": "round", "template": "overall-quality", "n_texts": 6, "n_raters": 1, "name": "First"}
    assert "6 items for each rater" in shown(client.post("/p/news/evaluate/", fields))
