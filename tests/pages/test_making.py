"""The team's forms: what they store, and what they say when something cannot be."""

import json
import re

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation import jobs
from annotation.models import Job, JobState, Membership, Project, Slot, SourceDocument
from annotation.schema import preset_text
from annotation.services.core.errors import BadInput
from annotation.services.exports import exporting

ROWS = [{"id": f"text-{n}", "text": f"The council met on day {n}. It voted on the bridge."} for n in range(3)]

COLOUR = preset_text("macsum-doc").replace('kind = "ordinal"', 'kind = "colour"', 1)


def upload(*rows, name: str = "sources.jsonl") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, "".join(json.dumps(row) + "\n" for row in rows).encode())


def shown(answer) -> str:
    """The page's text without tags, blanks as one."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def run_last(project) -> Job:
    job = project.jobs.exclude(kind="count_tokens").order_by("-id")[0]
    jobs.run_job(job.pk)
    job.refresh_from_db()
    return job


NEW = {
    "name": "Night news",
    "slug": "night-news",
    "schema": "macsum-dial",
    "overlap": 3,
    "claim_unit": "source",
    "phases": "two",
    "assistance": "full",
    "lease_minutes": 30,
    "skip_limit": 4,
    "language": "en",
    "timezone": "Europe/Berlin",
}


@pytest.mark.parametrize("path", ["/projects/new/", "/p/news/settings/"])
def test_a_form_shows_every_field_it_asks_for(world, path):
    answer = world.as_("admin").get(path)

    page = answer.content.decode()
    assert [name for name in answer.context["form"].fields if f'name="{name}"' not in page] == []


def test_a_project_is_made_with_its_settings(world):
    answer = world.as_("researcher").post("/projects/new/", NEW)

    assert answer.headers["Location"] == "/p/night-news/"
    project = Project.objects.get(slug="night-news")
    assert (project.domain, project.overlap, project.claim_unit, project.phases) == ("dialogue", 3, "source", "two")
    assert (project.assistance, project.lease_minutes, project.timezone) == ("full", 30, "Europe/Berlin")
    assert project.skip_limit == 4
    assert Membership.objects.get(project=project).role == "admin"
    assert "Import sources" in world.as_("researcher").get("/p/night-news/").content.decode()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"slug": "news"}, "is taken"),
        ({"slug": "Night news!"}, "valid"),
        ({"slug": ""}, "required"),
        ({"schema": "tesa"}, "Select a valid choice"),
        ({"overlap": 0}, "greater than or equal to 1"),
        ({"timezone": "Mars/Olympus"}, "time zone"),
        ({"name": "a\x00b"}, "Null characters"),
    ],
)
def test_a_project_that_cannot_be_is_refused_beside_its_field(world, change, words):
    answer = world.as_("admin").post("/projects/new/", {**NEW, **change})

    assert answer.status_code == 422
    assert words in shown(answer)
    assert not Project.objects.filter(slug="night-news").exists()


def test_settings_are_kept(world):
    values = {**{key: NEW[key] for key in NEW if key not in ("slug", "schema")}, "name": "Evening news"}
    answer = world.as_("admin").post("/p/news/settings/", values)

    assert answer.status_code == 302
    project = Project.objects.get(slug="news")
    assert (project.name, project.overlap, project.timezone) == ("Evening news", 3, "Europe/Berlin")


@pytest.mark.django_db(transaction=True)
def test_a_file_is_imported_through_the_page(world):
    client = world.as_("researcher")
    answer = client.post("/p/news/import/", {"file": upload(*ROWS), "format": "auto", "permission": "CC0-1.0"})
    address = answer.headers["Location"]
    waiting = client.get(address)
    assert "waiting" in shown(waiting) and "data-job=" in waiting.content.decode()
    assert client.get(f"{address}state/").json()["ended"] is False

    job = run_last(world.project)

    assert job.state == JobState.DONE, job.error
    page = client.get(address)
    assert "Done" in shown(page) and "read 3" in shown(page) and "stored 3" in shown(page)
    assert client.get(f"{address}state/").json()["ended"] is True
    kept = SourceDocument.objects.get(external_id="text-0")
    assert (kept.licence, kept.may_release_text) == ("CC0-1.0", True)
    assert "text-0" in shown(client.get("/p/news/sources/?q=text"))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("given", "licence", "released"),
    [
        ({"permission": "none"}, "", False),
        ({"permission": "none", "licence": "LDC user agreement"}, "LDC user agreement", False),
        ({"permission": "other", "licence": "OGL 3.0"}, "OGL 3.0", True),
    ],
)
def test_the_chosen_licence_decides_what_an_export_holds(world, given, licence, released):
    client = world.as_("researcher")
    client.post("/p/news/import/", {"file": upload(ROWS[0]), "format": "jsonl", **given})
    run_last(world.project)

    source = SourceDocument.objects.get(external_id=ROWS[0]["id"])
    assert (source.licence, source.may_release_text) == (licence, released)
    exported = b"".join(exporting.export_lines(project=world.project, options=exporting.ExportOptions()))
    line = next(row for row in map(json.loads, exported.splitlines()) if row.get("source_id") == ROWS[0]["id"])
    assert (line["segments"] is not None) == released
    SourceDocument.objects.exclude(pk=source.pk).update(licence="CC0-1.0", may_release_text=True)
    page = shown(client.get("/p/news/export/"))
    assert ("1 source has no licence" in page) == (not licence)
    assert ("1 source may not be released: exports leave its text out" in page) == (not released)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "Choose the licence, or say that the texts may not be released."),
        ({"permission": "other"}, "Name the licence that permits release."),
        ({"permission": "CC0-1.0", "licence": "MIT"}, "Leave this empty"),
    ],
)
def test_an_import_without_a_choice_of_licence_is_not_started(world, given, words):
    answer = world.as_("researcher").post("/p/news/import/", {"file": upload(*ROWS), "format": "auto", **given})
    assert answer.status_code == 422 and words in shown(answer)
    assert not Job.objects.filter(kind="import").exists()


@pytest.mark.django_db(transaction=True)
def test_a_dry_run_lists_the_faults_and_stores_nothing(world):
    client = world.as_("researcher")
    bad = {"id": "text-9", "text": 7}
    address = client.post(
        "/p/news/import/", {"file": upload(ROWS[0], bad), "format": "jsonl", "dry_run": "on", "permission": "none"}
    ).headers["Location"]

    run_last(world.project)

    page = shown(client.get(address))
    assert "this file would be refused" in page
    assert re.search(r"Line Column Field Value What is wrong 2 .* text 7 ", page), page
    assert not SourceDocument.objects.filter(external_id__startswith="text").exists()


@pytest.mark.django_db(transaction=True)
def test_a_refused_file_shows_line_field_and_value(world):
    client = world.as_("researcher")
    address = client.post(
        "/p/news/import/", {"file": upload({"id": "x"}), "format": "jsonl", "permission": "none"}
    ).headers["Location"]

    job = run_last(world.project)

    assert job.state == JobState.FAILED
    page = shown(client.get(address))
    assert "Refused: nothing was stored" in page and "is missing" in page and "Traceback" not in page


@pytest.mark.django_db(transaction=True)
def test_columns_that_are_named_otherwise_are_kept_for_the_next_file(world):
    client = world.as_("researcher")
    file = SimpleUploadedFile("table.csv", b"nr,body\n1,The council met.\n")
    client.post(
        "/p/news/import/",
        {"file": file, "format": "csv", "permission": "none", "column_id": "nr", "column_text": "body"},
    )

    job = run_last(world.project)

    assert job.state == JobState.DONE, job.error
    assert SourceDocument.objects.filter(external_id="1").exists()
    page = client.get("/p/news/import/")
    assert "Using the columns of table.csv id = nr , text = body" in shown(page)
    assert 'value="body"' not in page.content.decode()  # nothing is sent along with the next file unseen
    key = re.search(r'name="forget" value="(\w+)"', page.content.decode()).group(1)
    assert 'value="body"' in client.get(f"/p/news/import/?columns={key}").content.decode()

    more = SimpleUploadedFile("more.csv", b"nr,body\n2,It voted on the bridge.\n")
    job_page = client.post("/p/news/import/", {"file": more, "format": "auto", "permission": "none"}).headers[
        "Location"
    ]
    assert run_last(world.project).state == JobState.DONE
    assert "Using the columns of table.csv" in shown(client.get(job_page))

    client.post("/p/news/import/", {"forget": key})
    assert "Using the columns" not in shown(client.get("/p/news/import/"))
    assert client.post("/p/news/import/", {"forget": key}).status_code == 302


def test_an_import_without_a_file_says_so(world):
    answer = world.as_("admin").post("/p/news/import/", {"format": "auto"})

    assert answer.status_code == 422 and "required" in shown(answer)
    assert Job.objects.count() == 0


def test_a_job_shows_its_faults_with_their_places(world, job):
    page = shown(world.as_("admin").get(f"/jobs/{job.public_id}/"))

    assert "Line Column Field Value What is wrong 3 7 text null is missing" in page
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
    client.post("/projects/new/", {**NEW, "schema": "macsum-doc", "phases": "one-page"})
    project = Project.objects.get(slug="night-news")
    client.post("/p/night-news/import/", {"file": upload(*ROWS), "format": "auto", "permission": "none"})
    run_last(project)
    form = {"algorithm": "uniform", "seed": 7, "per_2000_words": 8, "group_size": 2, "pace": 10}

    trial = client.post("/p/night-news/samples/draw/", {**form, "do": "dry"})
    assert trial.status_code == 200 and "What would be drawn" in shown(trial)
    assert "Samples 3" in shown(trial) and "Summaries to write 9" in shown(trial)
    assert "100 % of the samples ask for no topic. Draw more samples per source to measure topics." in shown(trial)
    assert "Specificity: 0 pairs for control correlation, fewer than 30." in shown(trial)
    assert not project.samples.exists()

    client.post("/p/night-news/samples/draw/", {**form, "do": "draw"})
    job = run_last(project)

    assert job.state == JobState.DONE, job.error
    assert project.samples.count() == 3 and project.slots.filter(sample__isnull=False).count() == 9
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

    assert "1 sources take part" in shown(answer)
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

    assert answer.status_code == 422 and "valid" in shown(answer) and Job.objects.count() == 0


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
        ({"do": "add", "add-username": "nobody", "add-role": "annotator"}, "Nobody is called"),
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

    assert "Version 2 is in force" in shown(answer) and "Size" in shown(answer)
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

    kept = {"text": "# Rules\r\n\r\nBe *brief*.", "do": "keep", "change": "rule", "note": "Brevity is new."}
    assert client.post("/p/news/guideline/edit/", {**kept, "note": ""}).status_code == 422
    client.post("/p/news/guideline/edit/", kept)

    newest = world.project.guideline_versions.order_by("-number")[0]
    assert (newest.number, newest.text) == (2, "# Rules\n\nBe *brief*.")
