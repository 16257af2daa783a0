"""A file comes in whole or not at all, every unit is counted once, and a second time changes nothing."""

import json

import pytest

from annotation.models import Annotation, SourceDocument, SourceImport
from annotation.services.sources.import_types import ImportRefused
from tests.sources.conftest import import_, list_source_ids, nothing_left, row

pytestmark = pytest.mark.django_db


def adds_up(report) -> bool:
    return report.read == report.stored + report.duplicate + report.left_out + report.rejected


@pytest.mark.db_engine
def test_every_source_is_stored_in_the_files_order_with_its_text(news, jsonl):
    text = "Flood in “Kassel”\t— a \\ and a \n  new line. It rained\u2028 for days. 🌧️ cafe\u0301 \u202eabc"
    report = import_(news, jsonl(row(2), row(1), {"id": "x", "text": text, "title": "Flood", "page": 3}))
    assert (report.read, report.stored, report.format) == (3, 3, "jsonl")
    assert list_source_ids(news) == ["doc-2", "doc-1", "x"]
    document = SourceDocument.objects.get(external_id="x")
    from epitome.text.sentences import join_segments

    assert join_segments(document.source_text.segments) == text
    assert document.n_words == len(text.split())
    assert document.n_segments == len(document.source_text.segments) > 1
    assert (document.title, document.metadata, document.position) == ("Flood", {"page": 3}, 2)
    assert document.source_import.counts == report.counts()
    assert len(document.source_import.file_hash) == 64


@pytest.mark.db_engine
def test_the_same_file_again_adds_nothing(news, jsonl):
    file = jsonl(row(1), row(2))
    import_(news, file)
    source_documents_before = list(SourceDocument.objects.values_list("pk", flat=True))
    report = import_(news, file)
    assert (report.read, report.stored, report.duplicate) == (2, 0, 2)
    assert list(SourceDocument.everything.values_list("pk", flat=True)) == source_documents_before
    assert SourceImport.objects.count() == 1


def test_new_sources_of_a_longer_file_are_added(news, jsonl):
    import_(news, jsonl(row(1)))
    report = import_(news, jsonl(row(1), row(2), name="more.jsonl"))
    assert (report.stored, report.duplicate) == (1, 1)
    assert list_source_ids(news) == ["doc-1", "doc-2"]


def test_a_known_id_with_another_text_is_a_fault_with_its_place(news, jsonl):
    import_(news, jsonl(row(1)))
    with pytest.raises(ImportRefused) as refused:
        import_(news, jsonl(row(2), row(1, "Another text."), name="changed.jsonl"))
    assert refused.value.message.startswith("changed.jsonl, line 2, id: ")
    assert "doc-1" in refused.value.message
    assert adds_up(refused.value.report)
    assert list_source_ids(news) == ["doc-1"]


def test_an_id_twice_in_a_file_is_a_fault(news, jsonl):
    with pytest.raises(ImportRefused, match=r"line 3, id: .*line 1"):
        import_(news, jsonl(row(1), row(2), row(1, "It rained.")))
    assert nothing_left(news)


def test_other_projects_may_have_the_same_ids(news, meetings, jsonl):
    file = jsonl(row(1))
    import_(news, file)
    assert import_(meetings, file).stored == 1


@pytest.mark.db_engine
def test_one_fault_keeps_the_whole_file_out(news, jsonl):
    with pytest.raises(ImportRefused) as refused:
        import_(news, jsonl(row(1), {"id": "x"}, row(2)))
    report = refused.value.report
    assert (report.read, report.stored, report.rejected, report.n_faults) == (3, 0, 3, 1)
    assert adds_up(report)
    assert nothing_left(news)


def test_partial_stores_what_is_sound(news, jsonl):
    report = import_(news, jsonl(row(1), {"id": "x"}, row(2)), partial=True)
    assert (report.read, report.stored, report.rejected) == (3, 2, 1)
    assert [fault.line for fault in report.faults] == [2]
    assert list_source_ids(news) == ["doc-1", "doc-2"]


def test_a_file_that_breaks_off_is_refused_even_when_partial(news, tmp_path):
    file = tmp_path / "val.json"
    entry = {"metadata": {"dataset": "cnndm", "split": "test", "file_id": 1}, "source": ["A b."], "references": []}
    file.write_text("[" + json.dumps(entry) + ",\n{", encoding="utf-8")
    with pytest.raises(ImportRefused):
        import_(news, file, partial=True)
    assert nothing_left(news)


def test_a_dry_run_stores_nothing_and_lists_the_first_hundred_faults(news, jsonl):
    rows = [row(number) if number % 2 else {"id": f"x{number}", "text": 5} for number in range(300)]
    report = import_(news, jsonl(*rows), dry_run=True)
    assert nothing_left(news)
    assert len(report.faults) == 100
    assert (report.n_faults, report.read) == (150, 300)
    assert adds_up(report)
    first = report.as_dict()["faults"][0]
    assert (first["line"], first["field"], first["value"]) == (1, "text", "5")
    assert first["column"] > 1


def test_a_sound_dry_run_tells_what_it_would_store(news, jsonl):
    report = import_(news, jsonl(row(1), row(2)), dry_run=True)
    assert (report.stored, report.faults) == (2, [])
    assert nothing_left(news)


def test_long_units_are_left_out_when_asked(news, jsonl):
    report = import_(news, jsonl(row(1, "word " * 50), row(2)), max_words=20)
    assert (report.read, report.stored, report.left_out) == (2, 1, 1)
    assert list_source_ids(news) == ["doc-2"]


@pytest.mark.parametrize(
    "content",
    [b"", b"\n\n", b"\xff\xfe{\x00", b'{"id": "a", "text": "b\xff"}\n', b'{"id": "a"\n', b"[" * 100_000, b"hello\n"],
)
def test_broken_files_are_refused_with_one_short_line(news, tmp_path, content):
    file = tmp_path / "bad.jsonl"
    file.write_bytes(content)
    with pytest.raises(ImportRefused) as refused:
        import_(news, file)
    assert refused.value.message.startswith("bad.jsonl")
    assert len(refused.value.message) <= 480
    assert "\n" not in refused.value.message
    assert adds_up(refused.value.report)
    assert nothing_left(news)


@pytest.mark.parametrize("bad", ['"\\ud83d"', '"a\\u0000b"', "NaN", "1e400", "9" * 5000])
def test_values_that_cannot_be_stored_are_refused(news, tmp_path, bad):
    file = tmp_path / "bad.jsonl"
    file.write_text(f'{{"id": "a", "text": "A b."}}\n{{"id": "b", "text": "A b.", "extra": {bad}}}\n')
    with pytest.raises(ImportRefused, match=r"line 2, column \d+, extra"):
        import_(news, file)
    assert nothing_left(news)


# One failure at every step: nothing may be left of any of them.


def test_licence_and_permission_for_sources_that_do_not_tell(news, jsonl):
    fields = {**row(2), "licence": "CC0-1.0", "may_release_text": False}
    import_(news, jsonl(row(1), fields), licence="CC BY 4.0", may_release_text=True)
    source_documents = SourceDocument.objects.order_by("position").values_list("licence", "may_release_text")
    assert list(source_documents) == [("CC BY 4.0", True), ("CC0-1.0", False)]


@pytest.mark.parametrize(
    ("name", "split"),
    [("val.jsonl", "dev"), ("test.jsonl", "test"), ("my_test.jsonl", ""), ("notes.jsonl", "")],
)
def test_the_split_comes_from_the_files_name(news, jsonl, name, split):
    import_(news, jsonl(row(1), name=name))
    assert SourceDocument.objects.get().split == split


def test_the_split_of_the_options_wins(news, jsonl):
    import_(news, jsonl(row(1), name="val.jsonl"), split="train")
    assert SourceDocument.objects.get().split == "train"


def test_a_story_keeps_its_highlights_beside_the_text(news, tmp_path):
    file = tmp_path / "0a1b.story"
    file.write_text(
        "It rained. The river rose.\n\n@highlight\n\nRiver rises\n\n@highlight\n\nRain falls\n", encoding="utf-8"
    )
    assert import_(news, file).format == "story"
    source_document = SourceDocument.objects.get()
    assert (source_document.external_id, source_document.metadata) == (
        "0a1b",
        {"highlights": ["River rises", "Rain falls"]},
    )
    assert [segment["text"] for segment in source_document.source_text.segments] == ["It rained.", "The river rose."]


def test_the_highlights_of_a_story_are_its_human_summary_where_summaries_are_imported(news, tmp_path):
    file = tmp_path / "0a1b.story"
    file.write_text(
        "It rained. The river rose.\n\n@highlight\n\nRiver rises\n\n@highlight\n\nRain falls\n", encoding="utf-8"
    )
    assert any("--with-references" in str(note) for note in import_(news, file, dry_run=True).notes)
    import_(news, file, with_references=True)
    assert [row.payload["summary"] for row in Annotation.objects.all()] == ["River rises\nRain falls"]


def test_stories_of_an_archive_with_one_name_twice_are_told_apart_by_their_folders(news, tmp_path):
    import zipfile

    file = tmp_path / "stories.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a/one.story", "It rained.\n\n@highlight\n\nRain\n")
        archive.writestr("b/one.story", "It snowed.\n\n@highlight\n\nSnow\n")
    import_(news, file)
    assert list_source_ids(news) == ["a/one", "b/one"]


def test_a_table_with_semicolons(news, tmp_path):
    file = tmp_path / "test.csv"
    file.write_text('id;text;licence;page\na;"One; two.\nThree.";CC0-1.0;7\n', encoding="utf-8")
    assert import_(news, file).format == "csv"
    source_document = SourceDocument.objects.get()
    assert (source_document.external_id, source_document.licence, source_document.split, source_document.metadata) == (
        "a",
        "CC0-1.0",
        "test",
        {"page": "7"},
    )
    assert [segment["text"] for segment in source_document.source_text.segments] == ["One; two.", "Three."]


def test_a_ragged_row_is_named_by_its_line(news, tmp_path):
    file = tmp_path / "ragged.csv"
    file.write_text("id,text\na,One.\nb\n", encoding="utf-8")
    with pytest.raises(ImportRefused, match="line 3"):
        import_(news, file)
