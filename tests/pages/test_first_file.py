"""A new project with a file: the template that fits its texts, and the check of its import."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import Project
from tests.pages.import_steps import shown

NEW = {"name": "Evening", "schema": "macsum-doc", "language": "en"}
SENTENCE = "The council of the small town voted for the new library today."


def table(n_sentences, n_rows=5):
    rows = [f'a{number},"{" ".join([SENTENCE] * n_sentences)}"' for number in range(n_rows)]
    return SimpleUploadedFile("evening.csv", "\n".join(["id,text", *rows]).encode())


def hidden_token(answer):
    return answer.context["form"]["token"].value()


def test_short_texts_choose_their_template_and_say_why(world):
    client = world.as_("admin")

    answer = client.post("/projects/new/", {**NEW, "file": table(10)})

    assert answer.status_code == 200 and not Project.objects.filter(slug="evening").exists()
    assert "“Short articles” was chosen: half of these texts have up to 120 words" in shown(answer)
    assert answer.context["form"]["schema"].value() == "short-articles"
    created = client.post("/projects/new/", {**NEW, "schema": "short-articles", "token": hidden_token(answer)})
    assert created.headers["Location"].startswith("/p/evening/import/check/?file=")
    assert Project.objects.get(slug="evening").preset == "short-articles"
    assert "a0" in shown(client.get(created.headers["Location"]))


def test_whoever_keeps_the_other_template_gets_it(world):
    client = world.as_("admin")
    token = hidden_token(client.post("/projects/new/", {**NEW, "file": table(10)}))
    client.post("/projects/new/", {**NEW, "token": token})
    assert Project.objects.get(slug="evening").preset == "macsum-doc"


@pytest.mark.parametrize(
    ("fields", "n_sentences"), [({}, 21), ({"schema": "ccsbench"}, 10)], ids=["long texts", "another template"]
)
def test_nothing_is_asked_where_the_template_fits(world, fields, n_sentences):
    answer = world.as_("admin").post("/projects/new/", {**NEW, **fields, "file": table(n_sentences)})
    assert answer.headers["Location"].startswith("/p/evening/import/check/")


def test_a_file_that_cannot_be_read_is_said_at_its_import(world):
    client = world.as_("admin")
    file = SimpleUploadedFile("photo.png", b"\x89PNG\r\n\x1a\n" + bytes(100))
    answer = client.post("/projects/new/", {**NEW, "file": file}, follow=True)
    assert "This file cannot be imported" in shown(answer)


def test_a_wrong_field_keeps_the_file(world):
    client = world.as_("admin")
    token = hidden_token(client.post("/projects/new/", {**NEW, "file": table(10)}))
    answer = client.post("/projects/new/", {**NEW, "slug": "news", "token": token})
    assert answer.status_code == 422 and "The short name news is taken." in shown(answer)
    assert "evening.csv" in shown(answer) and hidden_token(answer)


@pytest.mark.parametrize("who", ["researcher", "admin"])
def test_a_file_of_somebody_else_or_none_is_refused(world, who):
    token = hidden_token(world.as_("admin").post("/projects/new/", {**NEW, "file": table(10)}))
    token = token if who == "researcher" else "no-token"
    answer = world.as_(who).post("/projects/new/", {**NEW, "token": token})
    assert answer.status_code == 422 and "Upload it again." in shown(answer)
    assert not hidden_token(answer) and not Project.objects.filter(slug="evening").exists()
