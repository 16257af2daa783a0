"""Tables that are not UTF-8: by command, call, page and job."""

import json
from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.jobs import run_job
from annotation.models import Job, SourceText
from annotation.views.sources.licences import NO_RELEASE
from tests.sources.conftest import nothing_left

pytestmark = pytest.mark.django_db
TEXT = "Die Bürger von Köln müssen für die Straße zahlen, sagte der Bürgermeister am Montag."
PAGE_NOTE = "It is read as Windows-1252"
NOTE = "read as Windows-1252; choose another encoding if letters are wrong"


@pytest.fixture
def table(tmp_path):
    file = tmp_path / "t.csv"
    file.write_bytes(f"Kennung;Text\r\na;{TEXT}\r\n".encode("cp1252"))
    return file


def run(*words: object) -> str:
    out = StringIO()
    call_command("import_sources", "news", *map(str, words), stdout=out)
    return out.getvalue()


def upload(file):
    return SimpleUploadedFile(file.name, file.read_bytes())


def stored_text() -> str:
    return " ".join(segment["text"] for segment in SourceText.objects.get().segments)


def test_the_command_reads_a_german_table_and_says_how(news, table):
    preview = run(table, "--preview")
    assert "encoding: windows-1252 (--encoding)" in preview
    assert f"note: {NOTE}" in preview
    assert f"note: {NOTE}" in run(table, "--map", "auto")
    assert stored_text() == TEXT


def test_the_command_takes_another_encoding(news, table):
    assert "note:" not in run(table, "--map", "auto", "--encoding", "mac-roman")
    assert stored_text() == TEXT.encode("cp1252").decode("mac-roman")


def test_bytes_that_are_not_in_the_chosen_encoding_are_refused_with_their_line(news, table):
    with pytest.raises(CommandError, match=r"line \d: is not UTF-16"):
        run(table, "--encoding", "utf-16")
    assert nothing_left(news)


def test_utf8_stays_utf8(news, tmp_path):
    file = tmp_path / "t.csv"
    file.write_text(f'id,text\na,"{TEXT}"\n', encoding="utf-8")
    assert json.loads(run(file, "--preview", "--json"))["encoding"] == "utf-8"
    run(file, "--encoding", "windows-1252")
    assert stored_text() == TEXT


def test_the_call_previews_and_imports_in_the_chosen_encoding(news, table, client, admin):
    client.force_login(admin)
    preview = client.post("/api/v1/projects/news/imports/preview/", {"file": upload(table)}).json()
    assert (preview["encoding"], preview["notes"]) == ("windows-1252", [NOTE])
    refused = client.post("/api/v1/projects/news/imports/", {"file": upload(table), "encoding": "latin"})
    assert refused.status_code == 422 and "encoding" in refused.content.decode()
    fields = {"file": upload(table), "encoding": "mac-roman", "mapping": json.dumps({"id": "Kennung", "text": "Text"})}
    assert client.post("/api/v1/projects/news/imports/", fields).status_code == 202
    run_job(Job.objects.get().pk)
    assert stored_text() == TEXT.encode("cp1252").decode("mac-roman")


def test_the_page_says_the_encoding_once_and_imports_by_the_choice(news, table, client, admin):
    client.force_login(admin)
    address = client.post(reverse("import", args=["news"]), {"file": [upload(table)]}).url
    page = client.get(address).content.decode()
    assert PAGE_NOTE in page and NOTE not in page
    page = client.get(f"{address}&encoding=mac-roman").content.decode()
    assert "Read as Mac Roman." in page
    assert client.post(f"{address}&encoding=mac-roman", {"permission": NO_RELEASE}).status_code == 302
    run_job(Job.objects.get().pk)
    assert stored_text() == TEXT.encode("cp1252").decode("mac-roman")


def test_the_page_asks_for_an_encoding_that_is_not_known(news, tmp_path, client, admin):
    client.force_login(admin)
    file = tmp_path / "t.csv"
    file.write_bytes(b"id,text\na,One \xff two three four.\n")
    address = client.post(reverse("import", args=["news"]), {"file": [upload(file)]}).url
    page = client.get(address).content.decode()
    assert "its encoding is not known" in page and "Windows-1252 (Western Europe)" in page
    page = client.get(f"{address}&encoding=windows-1252").content.decode()
    assert "One ÿ two three four." in page


def test_no_choice_is_shown_for_utf8(news, jsonl, client, admin):
    client.force_login(admin)
    address = client.post(reverse("import", args=["news"]), {"file": [upload(jsonl({"id": "a", "text": TEXT}))]}).url
    assert "Encoding" not in client.get(address).content.decode()
