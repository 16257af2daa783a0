"""`import_sources --preview` and `--map`: the same rows and columns as the page."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Annotation, SourceDocument
from tests.sources.conftest import nothing_left

TEXT = "The council met on Monday and voted on the bridge over the harbour."
TABLE = f"article_no,headline,body,gold,len\nA1,Bridge,{TEXT},It voted.,short\nA1,Bridge,{TEXT},A vote.,long\n"


@pytest.fixture
def table(tmp_path):
    file = tmp_path / "own.csv"
    file.write_text(TABLE, encoding="utf-8")
    return file


def run(*words: object) -> str:
    out = StringIO()
    call_command("import_sources", *map(str, words), stdout=out)
    return out.getvalue()


def test_a_preview_shows_rows_and_columns_and_stores_nothing(news, table):
    completed = run("news", table, "--preview")
    assert "body -> text" in completed and "article_no -> id" in completed and "headline: Bridge" in completed
    assert "--map id=article_no,text=body,title=headline,summary=gold" in completed
    assert nothing_left(news)


def test_a_preview_as_json(news, table):
    preview = json.loads(run("news", table, "--preview", "--json"))
    assert preview["format"] == "csv" and preview["mapping"]["text"] == "body" and len(preview["rows"]) == 2


def test_several_columns_in_one_map_and_summaries_as_references(news, table):
    mapping = "id=article_no,text=body,summary=gold,attribute:length=len"
    run("news", table, "--map", mapping, "--skip-columns", "headline")
    source = SourceDocument.objects.get(external_id="A1")
    assert source.metadata == {}
    summaries = [(row.payload["summary"], row.sample.values["length"]) for row in Annotation.objects.order_by("pk")]
    assert summaries == [("It voted.", "short"), ("A vote.", "long")]


def test_columns_as_the_preview_shows_them(news, table):
    run("news", table, "--map", "auto")
    assert SourceDocument.objects.get().title == "Bridge"


def test_a_value_that_the_schema_lacks_is_a_fault_with_its_field(news, table):
    table.write_text(TABLE.replace("long", "huge"), encoding="utf-8")
    with pytest.raises(CommandError, match=r"length.*huge"):
        run("news", table, "--map", "id=article_no,text=body,summary=gold,attribute:length=len")
    assert nothing_left(news)


def test_a_preview_of_a_picture_is_refused_in_one_sentence(news, tmp_path):
    (tmp_path / "scan.csv").write_bytes(b"\x89PNG\r\n")
    with pytest.raises(CommandError, match="is a picture, not a text"):
        run("news", tmp_path / "scan.csv", "--preview")


def test_summaries_that_were_not_asked_for_are_told(news, tmp_path):
    rows, entries = tmp_path / "rows.jsonl", tmp_path / "test.json"
    rows.write_text("".join(json.dumps({"id": key, "text": TEXT, "summary": "A vote."}) + "\n" for key in "ab"))
    reference = {"control_attribute": {}, "summary": "A vote.", "title": "", "relevant_turns": []}
    entry = {
        "metadata": {"dataset": "cnndm", "split": "test", "file_id": 1},
        "source": [TEXT],
        "references": [reference],
    }
    entries.write_text(json.dumps([entry]))
    assert "note: line 1 and 1 more: the summary was kept as metadata; --map auto" in run("news", rows)
    assert "the human summaries were not imported; --with-references imports them" in run("news", entries)
    assert not Annotation.objects.exists()
    assert "note" not in run("news", entries, "--with-references", "--dry-run")
