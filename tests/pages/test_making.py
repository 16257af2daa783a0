"""The team's forms: what they store, and what they say when something cannot be."""

import json
import re

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation import kinds
from annotation.models import Job, JobState, Membership, Project, Slot, SourceDocument
from annotation.services.core.errors import BadInput
from annotation.views.people.project_templates import TEMPLATES
from epitome.schema import PRESETS, preset_text
from tests.pages.import_steps import import_through_pages, run_last, shown, upload
from tests.tasks.phrases_kind import PhrasesKind

ROWS = [{"id": f"text-{n}", "text": f"The council met on day {n}. It voted on the bridge."} for n in range(3)]

COLOUR = preset_text("macsum-doc").replace('kind = "ordinal"', 'kind = "colour"', 1)


NEW = {
    "name": "Night news",
    "slug": "night-news",
    "schema": "macsum-dial",
    "language": "de",
    "timezone": "Europe/Berlin",
}
SETTINGS = {
    "name": "Evening news",
    "overlap": 3,
    "claim_unit": "source",
    "phases": "two",
    "assistance": "full",
    "lease_minutes": 30,
    "skip_limit": 4,
    "language": "en",
    "timezone": "Europe/Berlin",
    "summary_minutes": 12,
    "pay_per_hour": "15.5",
    "pay_currency": "EUR",
}


@pytest.mark.parametrize("path", ["/projects/new/", "/p/news/settings/"])
def test_a_form_shows_every_field_it_asks_for(world, path):
    answer = world.as_("admin").get(path)

    page = answer.content.decode()
    assert [name for name in answer.context["form"].fields if f'name="{name}"' not in page] == []


def test_a_project_is_made_from_a_template_and_leads_on_to_the_import(world):
    answer = world.as_("researcher").post("/projects/new/", NEW)

    assert answer.headers["Location"] == "/p/night-news/"
    project = Project.objects.get(slug="night-news")
    assert (project.domain, project.preset, project.language) == ("dialogue", "macsum-dial", "de")
    assert (project.timezone, project.overlap) == ("Europe/Berlin", 1)
    assert Membership.objects.get(project=project).role == "admin"
    assert "Import sources" in world.as_("researcher").get("/p/night-news/").content.decode()


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Night news", "night-news"),
        ("Übersicht: Straße 7", "ubersicht-strasse-7"),
        ("Новости дня", "novosti-dnya"),
        ("Ειδήσεις", "eidiseis"),
        ("한국 뉴스", "hangug-nyuseu"),
        ("新闻", "project"),
        ("News", "news-2"),
        ("?!", "project"),
    ],
)
def test_the_short_name_is_made_from_the_name(world, name, slug):
    answer = world.as_("admin").post("/projects/new/", {**NEW, "name": name, "slug": ""})

    assert answer.headers["Location"] == f"/p/{slug}/"
    assert Project.objects.get(slug=slug).name == name


def test_the_time_zone_is_the_browsers_or_the_sites(world, settings):
    client = world.as_("admin")
    client.post("/projects/new/", {**NEW, "timezone": "Mars/Olympus"})
    assert Project.objects.get(slug="night-news").timezone == settings.TIME_ZONE


@pytest.mark.parametrize("domain", ["document", "dialogue"])
def test_a_project_with_attributes_of_its_own_starts_in_the_attribute_editor(world, domain):
    client = world.as_("admin")
    answer = client.post("/projects/new/", {**NEW, "schema": f"own-{domain}"})

    assert answer.headers["Location"] == "/p/night-news/schema/"
    project = Project.objects.get(slug="night-news")
    schema = project.schema_version.schema
    assert (project.domain, [attribute.key for attribute in schema.attributes]) == (domain, ["length"])
    assert "Define its attributes here" in shown(client.get("/p/night-news/schema/"))


def test_every_preset_has_a_template_with_words_and_a_picture(world):
    page = world.as_("admin").get("/projects/new/").content.decode()

    assert set(PRESETS) < {template.key for template in TEMPLATES}
    assert page.count("bench-picture") == page.count('name="schema"') == len(TEMPLATES)
    assert "macsum" not in shown(world.as_("admin").get("/projects/new/"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"slug": "news"}, "The short name news is taken."),
        ({"slug": "Night news!"}, "Use Latin letters, digits and hyphens only"),
        ({"name": ""}, "Give the project a name."),
        ({"schema": "cnndm"}, "Select a valid choice"),
        ({"schema": "tesa"}, "This template is not for this kind of task"),
        ({"language": "klingon"}, "Select a valid choice"),
        ({"name": "a\x00b"}, "Null characters"),
    ],
)
def test_a_project_that_cannot_be_is_refused_beside_its_field(world, change, words):
    answer = world.as_("admin").post("/projects/new/", {**NEW, **change})

    assert answer.status_code == 422
    assert words in shown(answer)
    assert not Project.objects.filter(slug="night-news").exists()


def test_settings_are_kept(world):
    answer = world.as_("admin").post("/p/news/settings/", SETTINGS)

    assert answer.status_code == 302
    project = Project.objects.get(slug="news")
    assert (project.name, project.overlap, project.timezone) == ("Evening news", 3, "Europe/Berlin")
    assert (project.summary_minutes, project.pay_per_hour, project.pay_currency) == (12, 15.5, "EUR")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"overlap": 0}, "greater than or equal to 1"),
        ({"timezone": "Mars/Olympus"}, "Select a valid choice"),
        ({"pay_currency": "euro"}, "three letters"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_beside_its_field(world, change, words):
    answer = world.as_("admin").post("/p/news/settings/", {**SETTINGS, **change})

    assert answer.status_code == 422 and words in shown(answer)


def test_a_job_shows_its_faults_with_their_places(world, job):
    page = shown(world.as_("admin").get(f"/jobs/{job.public_id}/"))

    assert "Line Column Field Value Error 3 7 text null is missing" in page
    assert "1 of at most 3" in page and "read 5" in page


def test_a_source_is_flagged_and_unflagged(world):
    document = world.project.documents.first()
    address = f"/p/news/sources/{document.public_id}/"
    client = world.as_("researcher")
    empty = client.post(address, {"do": "flag", "reason": " "})
    assert empty.status_code == 422 and "required" in shown(empty)

    client.post(address, {"do": "flag", "reason": "Half of it is missing."})
    assert Slot.objects.filter(document=document, state="parked").count() == 4
    assert "Half of it is missing." in shown(client.get(address))

    client.post(address, {"do": "unflag"})
    assert Slot.objects.filter(document=document, state="parked").count() == 0


@pytest.mark.django_db(transaction=True)
def test_samples_are_drawn_after_a_dry_run(world):
    world.project.samples.all()
    client = world.as_("researcher")
    client.post("/projects/new/", {**NEW, "schema": "macsum-doc"})
    project = Project.objects.get(slug="night-news")
    client.post("/p/night-news/settings/", {**SETTINGS, "phases": "one-page"})
    import_through_pages(client, "night-news", upload(*ROWS))
    run_last(project)
    form = {"algorithm": "uniform", "seed": 7, "per_2000_words": 8, "group_size": 1, "pace": 10}

    trial = client.post("/p/night-news/samples/draw/", {**form, "do": "dry"})
    assert trial.status_code == 200 and "What would be drawn" in shown(trial)
    assert "Samples 12" in shown(trial) and "Summaries to write 36" in shown(trial)
    assert "75 % of the samples ask for no topic. Draw more samples per source to measure topics." in shown(trial)
    assert re.search(r"Specificity: \d pairs? for control correlation, fewer than 30\.", shown(trial))
    assert not project.samples.exists()

    client.post("/p/night-news/samples/draw/", {**form, "do": "draw"})
    job = run_last(project)

    assert job.state == JobState.DONE, job.error
    assert project.samples.count() == 12 and project.slots.filter(sample__isnull=False).count() == 36
    assert "text-0#" in shown(client.get("/p/night-news/samples/"))
    assert "Coverage of combinations" in shown(client.get("/p/night-news/"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"algorithm": "dice"}, "Select a valid choice"),
        ({"seed": -1}, "greater than or equal to 0"),
        ({"seed": "x"}, "whole number"),
        ({"per_2000_words": 0}, "greater than or equal to"),
        ({"group_size": 1000}, "less than or equal to 100"),
        ({"per_source": 3}, "Fill in only one of the two"),
        ({"per_2000_words": ""}, "Fill in samples per source or per 2,000 words."),
        ({"per_2000_words": "", "per_source": 1001}, "less than or equal to 1000"),
    ],
)
def test_a_draw_that_cannot_be_is_refused_beside_its_field(world, change, words):
    form = {"algorithm": "uniform", "seed": 7, "per_2000_words": 8, "group_size": 2, "pace": 10, "do": "draw"}
    answer = world.as_("admin").post("/p/news/samples/draw/", {**form, **change})

    assert answer.status_code == 422 and words in shown(answer)
    assert Job.objects.count() == 0


def test_a_random_selection_is_recorded(world):
    client = world.as_("researcher")
    too_many = client.post("/p/news/sources/select/", {"n": 3, "seed": 1})
    assert too_many.status_code == 422 and "3 of 2" in shown(too_many)

    answer = client.post("/p/news/sources/select/", {"n": 1, "seed": 1}, follow=True)

    assert "1 source selected" in shown(answer)
    assert SourceDocument.objects.filter(project=world.project, selected=True).count() == 1
    assert "seed 1" in shown(client.get("/p/news/sources/select/"))


def test_extraction_starts_a_job(world):
    answer = world.as_("researcher").post("/p/news/samples/extract/")

    job = Job.objects.get()
    assert job.kind == "extract" and answer.headers["Location"] == f"/jobs/{job.public_id}/"


@pytest.mark.django_db(transaction=True)
def test_an_export_is_made_and_fetched(world):
    client = world.as_("researcher")
    address = client.post("/p/news/export/", {"format": "jsonl", "state": "", "release": "v1"}).headers["Location"]

    job = run_last(world.project)

    assert job.state == JobState.DONE, job.error
    assert "Download" in shown(client.get(address))
    answer = client.get(f"{address}download/")
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="news')
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    lines = b"".join(answer.streaming_content).decode().splitlines()
    assert any(json.loads(line).get("task") == "source" for line in lines)
    manifest = json.loads(b"".join(client.get(f"{address}download/?part=manifest").streaming_content))
    assert manifest["counts"]["sources"] == 2
    assert "v1" in shown(client.get("/p/news/export/"))
    assert world.as_("outsider").get(f"{address}download/").status_code == 404


def test_an_export_with_a_bad_tag_is_refused(world):
    answer = world.as_("admin").post("/p/news/export/", {"format": "jsonl", "state": "", "release": "a b/.."})

    assert answer.status_code == 422 and "A tag has 1 to 60" in shown(answer) and Job.objects.count() == 0


def test_a_person_is_added_and_removed(world):
    client = world.as_("admin")
    client.post("/p/news/members/", {"do": "add", "add-username": "idle", "add-role": "annotator"})
    assert world.as_("idle").get("/p/news/work/").status_code == 200

    client.post("/p/news/members/", {"do": "remove", "username": "idle", "role": "annotator"})
    assert world.as_("idle").get("/p/news/work/").status_code == 404


def test_the_last_admin_stays(world):
    answer = world.as_("admin").post(
        "/p/news/members/", {"do": "remove", "username": "admin", "role": "admin"}, follow=True
    )
    assert "last admin" in shown(answer)
    assert world.project.memberships.filter(role="admin").count() == 1


def test_an_account_without_its_role_is_not_made(world, monkeypatch):
    def refuse(**_values):
        raise BadInput("Not now.", field="role")

    monkeypatch.setattr("annotation.services.people.members.add_member", refuse)
    form = {"account-username": "annotator2", "account-role": "annotator", "account-password": "a first pass phrase"}
    answer = world.as_("admin").post("/p/news/members/", {"do": "account", **form})

    assert "Not now." in shown(answer) and not User.objects.filter(username="annotator2").exists()


def test_a_new_account_can_sign_in(world, client):
    form = {"account-username": "annotator2", "account-email": "", "account-role": "annotator"}
    short = world.as_("admin").post("/p/news/members/", {"do": "account", **form, "account-password": "short"})
    assert short.status_code == 422 and "12" in shown(short)

    world.as_("admin").post("/p/news/members/", {"do": "account", **form, "account-password": "a first pass phrase"})

    client.post("/sign-in/", {"username": "annotator2", "password": "a first pass phrase"})
    assert client.get("/p/news/work/").headers["Location"] == "/password/", "and chooses a password first"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"do": "add", "add-username": "nobody", "add-role": "annotator"}, "There is no user"),
        ({"do": "add", "add-username": "idle", "add-role": "owner"}, "Select a valid choice"),
        (
            {
                "do": "account",
                "account-username": "admin",
                "account-role": "rater",
                "account-password": "some new words",
            },
            "is taken",
        ),
    ],
)
def test_members_that_cannot_be_are_refused_in_words(world, values, words):
    answer = world.as_("admin").post("/p/news/members/", values)

    assert answer.status_code == 422 and words in shown(answer)


def test_a_new_schema_version_is_kept_and_the_old_one_stays_readable(world):
    text = preset_text("macsum-doc").replace('label = "Length"', 'label = "Size"')
    answer = world.as_("admin").post("/p/news/schema/", {"text": text}, follow=True)

    assert "Version 2 published" in shown(answer) and "Size" in shown(answer)
    assert "Length" in shown(world.as_("admin").get("/p/news/schema/?version=1"))
    assert world.as_("admin").get("/p/news/schema/?version=9").status_code == 404


def test_a_schema_comes_as_a_file_too(world):
    text = preset_text("macsum-doc") + "\n# changed\n"
    file = SimpleUploadedFile("schema.toml", text.encode())
    world.as_("admin").post("/p/news/schema/", {"text": "", "file": file})

    assert world.project.schema_versions.order_by("-number")[0].text == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('key = "x"\nname = ', "line 2"),
        (
            preset_text("macsum-doc").replace('kind = "ordinal"', 'kind = "colour"', 1),
            "line 33: attribute[length].kind",
        ),
        (preset_text("macsum-dial"), "domain"),
        ("", "empty"),
    ],
)
def test_a_schema_with_a_fault_names_key_and_line(world, text, words):
    answer = world.as_("admin").post("/p/news/schema/", {"text": text})

    assert answer.status_code == 422 and words in shown(answer)
    assert world.project.schema_versions.count() == 1


def test_a_schema_file_that_is_no_text_is_refused(world):
    file = SimpleUploadedFile("schema.toml", b"\xff\xfe\x00")
    answer = world.as_("admin").post("/p/news/schema/", {"text": "", "file": file})

    assert answer.status_code == 422 and "not UTF-8" in shown(answer)


def test_a_guideline_is_previewed_and_then_kept(world):
    client = world.as_("admin")
    preview = client.post("/p/news/guideline/edit/", {"text": "# Rules\r\n\r\nBe *brief*.", "do": "preview"})
    assert "<em>brief</em>" in preview.content.decode() and world.project.guideline_versions.count() == 1

    fields = {"text": "# Rules\r\n\r\nBe *brief*.", "do": "keep", "change": "rule", "note": "Brevity is new."}
    assert client.post("/p/news/guideline/edit/", {**fields, "note": ""}).status_code == 422
    client.post("/p/news/guideline/edit/", fields)

    newest = world.project.guideline_versions.order_by("-number")[0]
    assert (newest.number, newest.text) == (2, "# Rules\n\nBe *brief*.")


@pytest.fixture
def summaries_alone(monkeypatch):
    """As if there were no other kind that a project can be of."""
    for key in set(kinds.KINDS) - {"summary", "choosing"}:
        monkeypatch.delitem(kinds.KINDS, key)


@pytest.fixture
def phrases(summaries_alone, monkeypatch):
    """A second kind of task, for one preset and without attributes."""
    monkeypatch.setitem(kinds.KINDS, "phrases", PhrasesKind())


def test_an_aggregation_project_is_made_on_the_page(world):
    world.as_("admin").post("/projects/new/", {**NEW, "schema": "tesa", "kind": "aggregation"})
    project = Project.objects.get(slug="night-news")
    assert (project.kind, project.preset, project.overlap) == ("aggregation", "tesa", 3)


def test_with_one_kind_of_task_nothing_is_asked(world, summaries_alone):
    assert "data-decides" not in world.as_("admin").get("/projects/new/").content.decode()


def test_a_kind_of_task_is_chosen_with_the_templates_that_fit(world, phrases):
    client = world.as_("admin")
    page = client.get("/projects/new/").content.decode()
    assert "Phrases: Give one or two phrases." in page
    assert re.findall('data-for="([^"]*)"', page) == [
        "summary phrases", "summary", "summary", "summary", "summary", "summary phrases", "summary phrases",
    ]  # fmt: skip

    client.post("/projects/new/", {**NEW, "schema": "macsum-doc", "kind": "phrases"})

    assert Project.objects.get(slug="night-news").kind == "phrases"


def test_a_template_of_another_kind_of_task_is_refused(world, phrases):
    answer = world.as_("admin").post("/projects/new/", {**NEW, "schema": "ccsbench", "kind": "phrases"})
    assert answer.status_code == 422 and "This template is not for this kind of task" in shown(answer)
    assert not Project.objects.filter(slug="night-news").exists()


def test_a_kind_without_attributes_starts_with_none(world, phrases):
    world.as_("admin").post("/projects/new/", {**NEW, "schema": "own-document", "kind": "phrases"})
    assert Project.objects.get(slug="night-news").schema_version.schema.attributes == ()


def test_the_kind_is_the_usual_one_where_none_is_sent(world, phrases):
    world.as_("admin").post("/projects/new/", NEW)
    assert Project.objects.get(slug="night-news").kind == "summary"


def test_whole_numbers_of_the_settings_have_no_decimal_point(world):
    Project.objects.filter(slug="news").update(summary_minutes=10, pay_per_hour=15.5)
    page = world.as_("admin").get("/p/news/settings/").content.decode()
    assert re.search(r'name="summary_minutes"\s+value="10"', page)
    assert re.search(r'name="pay_per_hour"\s+value="15.5"', page)
