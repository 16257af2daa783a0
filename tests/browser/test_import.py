"""Importing through the pages: a table with columns of its own, an export of a tool, a wrong kind of file."""

import json

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from annotation import jobs
from annotation.models import Annotation, Job, SourceDocument
from annotation.services.people.projects import create_project

BODY = "The council met on Monday and voted on the bridge over the harbour, which opens in May."


@pytest.fixture
def admin(transactional_db) -> User:
    return User.objects.create_superuser("admin")


@pytest.fixture
def news(transactional_db):
    return create_project(slug="news", schema="macsum-doc")


def run_import() -> None:
    """What a worker does while the page of the import is open."""
    for job_id, _queue in jobs.list_open_jobs():
        if Job.objects.get(pk=job_id).kind == "import":
            jobs.run_job(job_id)


def choose(page, file) -> None:
    page.locator("input[name=file]").set_input_files(file)
    page.get_by_role("heading", name="Check and import").wait_for()


def start(page) -> None:
    page.get_by_label("Licence of the texts").select_option("CC-BY-4.0")
    page.get_by_role("button", name="Import", exact=True).click()
    page.wait_for_url("**/sources/imports/**")
    run_import()


def test_a_table_with_columns_of_its_own_is_imported_as_the_preview_shows_it(open_page, admin, news, tmp_path):
    table = tmp_path / "own.csv"
    rows = "".join(f'A-{n},Headline {n},"{BODY} {n}",/a/{n}\n' for n in range(1, 8))
    table.write_text("article_no,headline,body,url\n" + rows, encoding="utf-8")
    page = open_page(admin, "/p/news/import/")

    choose(page, table)

    expect(page.locator(".mapping:not(.read) tbody tr")).to_have_count(5)
    selects = page.locator(".mapping thead select")
    chosen = [selects.nth(at).evaluate("field => field.selectedOptions[0].text") for at in range(4)]
    assert chosen == ["ID", "Title", "Text", "Metadata"]
    page.get_by_label("Import column url as").select_option("Don’t import")
    start(page)
    page.get_by_text("7 sources imported").wait_for()
    page.get_by_role("link", name="View sources").click()
    expect(page.get_by_role("link", name="A-3")).to_be_visible()
    source = SourceDocument.objects.get(external_id="A-3")
    assert (source.title, source.licence, source.metadata) == ("Headline 3", "CC-BY-4.0", {})


def test_a_german_table_of_a_spreadsheet_is_read_and_its_encoding_can_be_chosen(open_page, admin, news, tmp_path):
    table = tmp_path / "Zeitung.csv"
    rows = "".join(f"Z-{n};Brücke {n};{BODY} Größe {n};Köln wächst.\r\n" for n in range(1, 16))
    table.write_bytes(("Nr.;Überschrift;Artikel;Zusammenfassung\r\n" + rows).encode("cp1252"))
    page = open_page(admin, "/p/news/import/")

    choose(page, table)

    selects = page.locator(".mapping:not(.read) thead select")
    chosen = [selects.nth(at).evaluate("field => field.selectedOptions[0].text") for at in range(4)]
    assert chosen == ["ID", "Title", "Text", "Summary"]
    expect(page.get_by_text("15 rows")).to_be_visible()
    expect(page.locator("table:visible")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollHeight") < 1400
    expect(page.get_by_text("It is read as Windows-1252")).to_be_visible()
    expect(page.get_by_role("cell", name="Brücke 3")).to_be_visible()

    page.get_by_label("Encoding").select_option("windows-1251")
    page.get_by_role("button", name="Show preview").first.click()
    page.get_by_text("Read as Windows-1251").wait_for()
    expect(page.get_by_role("cell", name="Brьcke 3")).to_be_visible()
    page.get_by_label("Encoding").select_option("windows-1252")
    page.get_by_role("button", name="Show preview").first.click()
    page.get_by_text("Read as Windows-1252").wait_for()
    start(page)
    page.get_by_text("15 sources imported").wait_for()
    assert SourceDocument.objects.get(external_id="Z-3").title == "Brücke 3"


def test_the_name_of_a_licence_is_asked_where_the_list_does_not_have_it(open_page, admin, news, tmp_path):
    table = tmp_path / "own.csv"
    table.write_text(f'id,text\na,"{BODY}"\n', encoding="utf-8")
    page = open_page(admin, "/p/news/import/")
    choose(page, table)
    name = page.get_by_label("Name of another licence")
    expect(name).to_be_hidden()
    page.get_by_label("Licence of the texts").select_option("CC-BY-4.0")
    expect(name).to_be_hidden()
    page.get_by_label("Licence of the texts").select_option("other")
    name.fill("Our own")
    page.get_by_role("button", name="Import", exact=True).click()
    page.wait_for_url("**/sources/imports/**")
    run_import()
    page.get_by_text("1 source imported").wait_for()
    assert SourceDocument.objects.get().licence == "Our own"


def test_a_label_studio_export_is_imported_with_its_summaries(open_page, admin, news, tmp_path):
    tasks = [
        {
            "id": number,
            "data": {"text": f"{BODY} {number}", "title": f"Headline {number}"},
            "annotations": [
                {
                    "result": [
                        {
                            "from_name": "answer",
                            "to_name": "text",
                            "type": "textarea",
                            "value": {"text": [f"The council voted for the bridge, says article {number}."]},
                        }
                    ]
                }
            ],
        }
        for number in (1, 2)
    ]
    export = tmp_path / "export.json"
    export.write_text(json.dumps(tasks), encoding="utf-8")
    page = open_page(admin, "/p/news/import/")

    choose(page, export)

    expect(page.get_by_text("Label Studio").first).to_be_visible()
    start(page)
    page.get_by_text("with 2 human summaries").wait_for()
    summaries = [row.payload["summary"] for row in Annotation.objects.order_by("pk")]
    assert summaries[0] == "The council voted for the bridge, says article 1."


def test_dropped_files_are_sent_and_a_picture_is_refused_in_one_sentence(open_page, admin, news):
    page = open_page(admin, "/p/news/import/")

    page.evaluate("""() => {
        const data = new DataTransfer();
        const bytes = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]);
        data.items.add(new File([bytes], "scan.png"));
        document.querySelector("[data-drop]").dispatchEvent(new DragEvent("drop", { dataTransfer: data }));
    }""")

    page.get_by_text("is a picture, not a text").wait_for()
    expect(page.get_by_role("button", name="Import", exact=True)).to_have_count(0)
