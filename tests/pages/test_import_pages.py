"""The pages of an import: upload, preview with columns, result with what was left out; and licences set later."""

import json

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import AuditEvent, Job, JobState, Membership, Role, SourceDocument
from annotation.services.exports import exporting
from annotation.services.people.projects import create_project
from tests.pages.import_steps import import_through_pages, run_last, send_files, shown, upload

ROWS = [{"id": f"text-{n}", "text": f"The council met on day {n}. It voted on the bridge."} for n in range(3)]
LONG = "The council met and voted on the bridge over the harbour. " * 3


def table(content: str, name: str = "table.csv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content.encode())


@pytest.mark.django_db(transaction=True)
def test_a_file_is_imported_through_the_pages(world):
    client = world.as_("researcher")
    address = import_through_pages(client, "news", upload(*ROWS), permission="CC0-1.0")
    waiting = client.get(address)
    assert "waiting" in shown(waiting) and "data-job=" in waiting.content.decode()

    job = run_last(world.project)

    assert job.state == JobState.DONE, job.error
    page = client.get(address)
    assert "3 sources imported" in shown(page)
    source_document = SourceDocument.objects.get(external_id="text-0")
    assert (source_document.licence, source_document.may_release_text) == ("CC0-1.0", True)
    assert "text-0" in shown(client.get("/p/news/sources/?q=text"))
    assert not default_storage.exists(job.arguments["file"])


def test_the_preview_shows_five_rows_and_a_choice_for_each_column(world):
    client = world.as_("researcher")
    rows = "".join(f"A{n},Headline {n},{LONG},/a/{n}\n" for n in range(9))

    page = client.get(send_files(client, "news", table("article_no,headline,body,url\n" + rows)))

    text = page.content.decode()
    assert "Headline 4" in text and "Headline 5" not in text
    chosen = [field.initial for field in list(page.context["form"].fields.values())[-4:]]
    assert chosen == ["id", "title", "text", "metadata"]
    assert not SourceDocument.objects.filter(external_id="A0").exists()


@pytest.mark.django_db(transaction=True)
def test_the_chosen_columns_are_read_and_no_others(world):
    client = world.as_("researcher")
    address = send_files(client, "news", table(f"title,body,url\nBridge,{LONG},/a\n"))
    columns = {"column-0": "metadata", "column-1": "text", "column-2": "skip"}
    assert "IDs are built from the file name and the row number" in shown(client.get(address))

    client.post(address, {"permission": "none", **columns})
    run_last(world.project)

    source = SourceDocument.objects.get(external_id="table-2")
    assert (source.title, source.metadata) == ("", {"title": "Bridge"})


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"column-0": "text", "column-1": "text"}, "Two columns are set to “Text”"),
        ({"column-0": "id", "column-1": "metadata"}, "Set one column to “Text”"),
        ({"column-0": "summary_title", "column-1": "text"}, "Set the column of the summaries to “Summary”"),
        ({"column-0": "title2"}, "Select a valid choice"),
    ],
)
def test_columns_that_do_not_go_together_are_refused(world, columns, words):
    client = world.as_("researcher")
    address = send_files(client, "news", table(f"nr,body\n1,{LONG}\n"))

    answer = client.post(address, {"permission": "none", **columns})

    assert answer.status_code == 422 and words in shown(answer)
    assert not Job.objects.filter(kind="import").exists()


@pytest.mark.django_db(transaction=True)
def test_summaries_in_a_column_become_references_of_their_source(world):
    client = world.as_("researcher")
    content = f"doc_id,article,highlights\na,{LONG},A bridge comes.\na,{LONG},The vote is over.\n"
    address = import_through_pages(client, "news", table(content))

    run_last(world.project)

    page = shown(client.get(address))
    assert "1 source imported" in page and "with 2 human summaries" in page


@pytest.mark.django_db(transaction=True)
def test_the_result_names_each_row_left_out_with_reason_and_advice(world):
    client = world.as_("researcher")
    import_through_pages(client, "news", upload(ROWS[0]))
    run_last(world.project)
    rows = [ROWS[0], {"id": "=1+1", "text": "word " * 50}, {"id": "odd", "text": 7}, ROWS[1], {"id": "no", "text": " "}]

    address = import_through_pages(client, "news", upload(*rows), partial="on", max_words="20")
    run_last(world.project)

    page = shown(client.get(address))
    assert "1 source imported" in page and "4 rows left out" in page
    assert "1 text-0 Already in the project with the same text" in page
    assert "2 =1+1 Too long, words: 50, limit: 20 Raise the limit of words (above)." in page
    assert "text: must be text, not a number (7)" in page
    lines = client.get(f"{address}left-out.csv").content.decode().splitlines()
    assert [line.split(",")[0] for line in lines] == ["line", "1", "2", "3", "5"]
    assert lines[2].split(",")[1].strip('"') == "'=1+1"  # no spreadsheet takes it for a formula


@pytest.mark.django_db(transaction=True)
def test_a_dry_run_lists_the_errors_and_stores_nothing(world):
    client = world.as_("researcher")
    address = import_through_pages(client, "news", upload(ROWS[0], {"id": "text-9", "text": 7}), dry_run="on")

    run_last(world.project)

    page = shown(client.get(address))
    assert "this file has errors" in page and "text: must be text, not a number (7)" in page
    assert not SourceDocument.objects.filter(external_id__startswith="text").exists()


@pytest.mark.django_db(transaction=True)
def test_a_refused_file_shows_line_field_and_value(world):
    client = world.as_("researcher")
    address = import_through_pages(client, "news", upload(ROWS[0], {"id": "x"}))

    job = run_last(world.project)

    assert job.state == JobState.FAILED
    page = shown(client.get(address))
    assert "Import failed. Nothing was changed." in page and "is missing" in page and "Traceback" not in page


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
    import_through_pages(client, "news", upload(ROWS[0]), **given)
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
    client = world.as_("researcher")
    answer = client.post(send_files(client, "news", upload(*ROWS)), given)
    assert answer.status_code == 422 and words in shown(answer)
    assert not Job.objects.filter(kind="import").exists()


@pytest.mark.django_db(transaction=True)
def test_columns_are_used_again_for_files_that_have_them(world):
    client = world.as_("researcher")
    address = send_files(client, "news", table("nr,body,note\n1,The council met.,x\n"))
    client.post(address, {"permission": "none", "column-0": "id", "column-1": "text", "column-2": "skip"})
    assert run_last(world.project).state == JobState.DONE
    assert "Using the columns of table.csv id = nr , text = body" in shown(client.get("/p/news/import/"))

    again = client.get(send_files(client, "news", table("nr,body,note\n2,It voted.,x\n", "more.csv")))
    assert "Using the columns of table.csv; change any of them" in shown(again)
    assert [field.initial for field in list(again.context["form"].fields.values())[-3:]] == ["id", "text", "skip"]
    other = client.get(send_files(client, "news", upload(*ROWS)))
    assert "Using the columns of" not in shown(other)

    key = world.project.__class__.objects.get(pk=world.project.pk).column_mapping["kept"][0]["columns"]
    assert key == {"id": "nr", "text": "body"}


def test_a_wrong_kind_of_file_is_named_and_cannot_be_imported(world):
    client = world.as_("researcher")
    address = send_files(client, "news", SimpleUploadedFile("scan.pdf", b"%PDF-1.7 ..."))

    page = client.get(address)
    assert page.status_code == 422 and "is a PDF" in shown(page)
    assert client.post(address, {"permission": "none"}).status_code == 422
    assert not Job.objects.filter(kind="import").exists()


def test_an_import_without_a_file_says_so(world):
    answer = world.as_("admin").post("/p/news/import/", {})
    assert answer.status_code == 422 and "Choose a file, or paste a text" in shown(answer)


@pytest.mark.django_db(transaction=True)
def test_a_pasted_text_is_one_source_with_its_first_line_as_title(world):
    client = world.as_("researcher")
    answer = client.post("/p/news/import/", {"text": "A vote on the bridge\r\n\r\nThe council met.\r\nIt voted."})
    client.post(answer.headers["Location"], {"permission": "none"})
    run_last(world.project)

    source = SourceDocument.objects.get(external_id__startswith="pasted-")
    assert source.title == "A vote on the bridge"
    assert [segment["text"] for segment in source.source_text.segments] == ["The council met.", "It voted."]


@pytest.mark.django_db(transaction=True)
def test_several_texts_are_one_source_each(world):
    client = world.as_("researcher")
    texts = [SimpleUploadedFile(f"note-{n}.txt", f"{LONG}\nNumber {n}.".encode()) for n in (1, 2)]
    import_through_pages(client, "news", *texts)
    run_last(world.project)

    assert SourceDocument.objects.filter(external_id__in=["note-1", "note-2"]).count() == 2


def test_an_upload_belongs_to_its_project_and_to_nobody_elses(world):
    client = world.as_("researcher")
    address = send_files(client, "news", upload(*ROWS))
    other = create_project(slug="other", schema="macsum-doc")
    Membership.objects.create(project=other, user=world.people["researcher"], role=Role.RESEARCHER)

    answer = client.get(address.replace("/news/", "/other/"))

    assert answer.status_code == 302 and answer.headers["Location"] == "/p/other/import/"
    assert client.get("/p/news/import/check/?file=forged").status_code == 302


def test_the_licence_of_sources_is_set_later_and_recorded(world):
    client = world.as_("researcher")
    SourceDocument.objects.update(licence="", may_release_text=False)
    first = SourceDocument.objects.order_by("pk").first()

    client.post(f"/p/news/sources/licence/?source={first.public_id}", {"permission": "CC-BY-4.0"})

    assert SourceDocument.objects.filter(licence="CC-BY-4.0", may_release_text=True).count() == 1
    rest = SourceDocument.objects.count() - 1
    assert f"Set licence of {rest} source" in shown(client.get("/p/news/sources/licence/?state=unlicensed"))
    client.post("/p/news/sources/licence/?state=unlicensed", {"permission": "CC0-1.0"})
    assert SourceDocument.objects.filter(licence="CC0-1.0").count() == rest
    events = AuditEvent.objects.filter(verb="source.set_licence").order_by("pk")
    assert [event.detail["sources"] for event in events] == [1, rest]
    assert client.post("/p/news/sources/licence/", {}).status_code == 422
    assert world.as_("reviewer").post("/p/news/sources/licence/", {"permission": "none"}).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_texts_that_were_too_long_are_imported_by_one_click_with_a_higher_limit(world):
    client = world.as_("researcher")
    rows = [*ROWS, {"id": "long-1", "text": LONG * 5}, {"id": "long-2", "text": LONG * 40}]
    address = import_through_pages(client, "news", upload(*rows), max_words="50")
    job = run_last(world.project)
    page = shown(client.get(address))
    assert "2 texts were too long" in page and "Raise the limit of words to 2 000 and import them" in page
    assert default_storage.exists(job.arguments["file"])

    again = client.post(address).headers["Location"]
    last = run_last(world.project)

    assert (last.result["stored"], last.result["duplicate"], last.result["left_out"]) == (2, 3, 0)
    assert "too long" not in shown(client.get(again))
    assert not default_storage.exists(job.arguments["file"])
    page = client.get(address).content.decode()
    assert 'href="/p/news/import/?max_words=2000"' in page, "the file is gone now: upload it again, the limit filled in"
    second = client.post("/p/news/import/?max_words=2000", {"file": [upload(*ROWS)]}).headers["Location"]
    assert client.get(second).context["form"]["max_words"].value() == "2000"
    assert client.post(address).status_code == 302 and Job.objects.filter(kind="import").count() == 2
