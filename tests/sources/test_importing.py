"""A file comes in whole or not at all, every unit is counted once, and a second time changes nothing."""

import json

import pytest

from annotation.jobs import NoProgress, run_job
from annotation.models import Job, JobState, SourceDocument, SourceImport, SourceText
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.sources import import_publish, staging, staging_process
from annotation.services.sources.column_mappings import forget_mapping, list_saved_mappings
from annotation.services.sources.import_types import ImportOptions, ImportRefused
from annotation.services.sources.importing import start_import
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
    from annotation.text.sentences import join_segments

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
    before = list(SourceDocument.objects.values_list("pk", flat=True))
    report = import_(news, file)
    assert (report.read, report.stored, report.duplicate) == (2, 0, 2)
    assert list(SourceDocument.everything.values_list("pk", flat=True)) == before
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
        import_(news, jsonl(row(1), row(2), row(1)))
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


@pytest.fixture
def small_batches(monkeypatch):
    original = staging.read_batches
    monkeypatch.setattr(staging, "read_batches", lambda path: original(path, rows=3))


@pytest.mark.db_engine
@pytest.mark.parametrize("failing", [1, 2, 3, 4])
def test_a_failure_at_any_batch_leaves_nothing(news, jsonl, monkeypatch, small_batches, failing):
    calls = []
    original = import_publish.insert_sources

    def insert(**kwargs):
        calls.append(1)
        original(**kwargs)
        if len(calls) == failing:
            raise RuntimeError("the disk is full")

    monkeypatch.setattr(import_publish, "insert_sources", insert)
    file = jsonl(*(row(number) for number in range(10)))
    with pytest.raises(RuntimeError, match="disk"):
        import_(news, file)
    assert nothing_left(news)
    monkeypatch.setattr(import_publish, "insert_sources", original)
    assert import_(news, file).stored == 10


@pytest.mark.db_engine
def test_a_failure_while_publishing_leaves_nothing(news, jsonl, monkeypatch, small_batches):
    def fail(**kwargs):
        raise RuntimeError("no more room")

    monkeypatch.setattr(import_publish.audit, "record_event", fail)
    with pytest.raises(RuntimeError, match="room"):
        import_(news, jsonl(*(row(number) for number in range(10))))
    assert nothing_left(news)


def test_rows_are_hidden_until_all_are_there(news, jsonl, monkeypatch, small_batches):
    seen = []
    original = import_publish.insert_sources

    def insert(**kwargs):
        original(**kwargs)
        everything = SourceDocument.everything.filter(project=news).count()
        seen.append((everything, SourceDocument.objects.filter(project=news).count()))

    monkeypatch.setattr(import_publish, "insert_sources", insert)
    import_(news, jsonl(*(row(number) for number in range(7))))
    assert seen == [(3, 0), (6, 0), (7, 0)]
    assert len(list_source_ids(news)) == 7


def leave_half_an_import(project, file, monkeypatch, **worker):
    """What kill -9 leaves: hidden rows and an import that was never published."""
    original = import_publish.insert_sources
    with monkeypatch.context() as patch:
        patch.setattr(import_publish, "discard_import", lambda source_import: None)
        batches = []

        def insert(**kwargs):
            if len(batches) == 2:
                raise RuntimeError("killed")
            original(**kwargs)
            batches.append(1)

        patch.setattr(import_publish, "insert_sources", insert)
        with pytest.raises(RuntimeError, match="killed"):
            import_(project, file)
    left = SourceImport.objects.get(published_at__isnull=True)
    left.options["worker"] |= worker
    left.save(update_fields=["options"])
    return left


@pytest.mark.db_engine
def test_the_next_import_clears_away_what_a_killed_one_left(news, jsonl, monkeypatch, small_batches):
    file = jsonl(*(row(number) for number in range(8)))
    leave_half_an_import(news, file, monkeypatch, started="another process")
    assert SourceDocument.everything.filter(project=news).count() == 6
    assert import_(news, file).stored == 8
    assert SourceDocument.everything.filter(project=news).count() == 8
    assert SourceText.objects.filter(document__project=news).count() == 8


def test_the_sweeper_clears_away_what_a_killed_import_left(news, jsonl, monkeypatch, small_batches):
    file = jsonl(*(row(number) for number in range(8)))
    leave_half_an_import(news, file, monkeypatch, started="another process")
    import_publish.sweep_imports()
    assert nothing_left(news)


def test_a_running_import_is_left_alone_and_wins(news, jsonl, monkeypatch, small_batches):
    file = jsonl(*(row(number) for number in range(8)))
    left = leave_half_an_import(news, file, monkeypatch)
    import_publish.sweep_imports()
    assert SourceImport.objects.filter(pk=left.pk).exists()
    with pytest.raises(Conflict, match="Nothing was imported"):
        import_(news, file)
    assert SourceDocument.everything.filter(project=news).count() == 6


def test_an_import_of_another_machine_is_dead_after_ten_silent_minutes(news, jsonl, monkeypatch, small_batches):
    file = jsonl(*(row(number) for number in range(8)))
    left = leave_half_an_import(news, file, monkeypatch, host="elsewhere")
    import_publish.sweep_imports()
    assert SourceImport.objects.filter(pk=left.pk).exists()
    left.counts["at"] = "2020-01-01T00:00:00+00:00"
    left.save(update_fields=["counts"])
    import_publish.sweep_imports()
    assert nothing_left(news)


def test_an_import_that_was_cleaned_away_stores_nothing_more(news, jsonl, monkeypatch, small_batches):
    original = import_publish.insert_sources

    def insert(*, source_import, batch):
        original(source_import=source_import, batch=batch)
        import_publish.discard_import(source_import)

    monkeypatch.setattr(import_publish, "insert_sources", insert)
    with pytest.raises(Conflict, match="cancelled and cleaned up"):
        import_(news, jsonl(*(row(number) for number in range(8))))
    assert nothing_left(news)


def test_no_staging_file_stays(news, jsonl, settings):
    import_(news, jsonl(row(1)))
    with pytest.raises(ImportRefused):
        import_(news, jsonl({"id": 5}, name="bad.jsonl"))
    assert list((settings.DATA_DIR / "imports").iterdir()) == []


# What is told for a whole file, and the columns of a table.


def test_licence_and_permission_for_sources_that_do_not_tell(news, jsonl):
    own = {**row(2), "licence": "CC0-1.0", "may_release_text": False}
    import_(news, jsonl(row(1), own), licence="CC BY 4.0", may_release_text=True)
    found = SourceDocument.objects.order_by("position").values_list("licence", "may_release_text")
    assert list(found) == [("CC BY 4.0", True), ("CC0-1.0", False)]


@pytest.mark.parametrize(("name", "split"), [("val.jsonl", "dev"), ("my_test.jsonl", "test"), ("notes.jsonl", "")])
def test_the_split_comes_from_the_files_name(news, jsonl, name, split):
    import_(news, jsonl(row(1), name=name))
    assert SourceDocument.objects.get().split == split


def test_the_split_of_the_options_wins(news, jsonl):
    import_(news, jsonl(row(1), name="val.jsonl"), split="train")
    assert SourceDocument.objects.get().split == "train"


def test_a_mapping_is_kept_for_the_next_table(news, tmp_path):
    for number in (1, 2):
        (tmp_path / f"{number}.csv").write_text(f'key,body\nd{number},"One. Two, three."\n', encoding="utf-8")
    mapping = {"id": "key", "text": "body"}
    assert import_(news, tmp_path / "1.csv", mapping=mapping).stored == 1
    news.refresh_from_db()
    assert import_(news, tmp_path / "2.csv").stored == 1
    assert list_source_ids(news) == ["d1", "d2"]
    assert SourceDocument.objects.get(external_id="d2").source_text.segments[1]["text"] == "Two, three."


def test_a_kept_mapping_is_not_applied_to_a_file_with_other_columns(news, tmp_path, jsonl):
    (tmp_path / "own.csv").write_text('article_no,body\nd1,"One. Two."\n', encoding="utf-8")
    import_(news, tmp_path / "own.csv", mapping={"id": "article_no", "text": "body"})
    news.refresh_from_db()

    report = import_(news, jsonl(row(2), row(3)))
    assert (report.stored, report.columns_of) == (2, "")
    (tmp_path / "more.csv").write_text("id,text\nd4,The council met.\n", encoding="utf-8")
    assert import_(news, tmp_path / "more.csv").stored == 1
    assert list_source_ids(news) == ["d1", "doc-2", "doc-3", "d4"]
    # JSON lines with the columns of the table are read by them.
    report = import_(news, jsonl({"article_no": "d5", "body": "Rain fell."}, name="same.jsonl"))
    assert (report.stored, report.columns_of) == (1, "own.csv")


def test_a_file_with_a_text_of_its_own_is_not_read_by_a_kept_mapping(news, jsonl):
    import_(news, jsonl({"id": "d1", "body": "The first text."}, name="own.jsonl"), mapping={"text": "body"})
    news.refresh_from_db()
    import_(news, jsonl({"id": "d2", "text": "The council met.", "body": "A note beside it."}))
    assert SourceDocument.objects.get(external_id="d2").source_text.segments[0]["text"] == "The council met."


def test_one_mapping_is_kept_for_each_set_of_columns(news, jsonl):
    for name, column in (("a", "body"), ("b", "story"), ("c", "body")):
        import_(
            news,
            jsonl({"nr": name, column: "The council met."}, name=f"{name}.jsonl"),
            mapping={"id": "nr", "text": column},
        )
    saved = list_saved_mappings(news)
    assert [(one.file_name, one.columns["text"]) for one in saved] == [("c.jsonl", "body"), ("b.jsonl", "story")]
    forget_mapping(project=news, key=saved[0].key)
    with pytest.raises(ImportRefused):
        import_(news, jsonl({"nr": "d", "body": "The council met."}, name="d.jsonl"))
    assert import_(news, jsonl({"nr": "e", "story": "The council met."}, name="e.jsonl")).columns_of == "b.jsonl"


def test_a_mapping_to_no_field_of_ours_is_refused(news, jsonl):
    with pytest.raises(BadInput) as refused:
        import_(news, jsonl(row(1)), mapping={"body": "text"})
    assert refused.value.field == "mapping"


# Uploads.


def test_an_upload_is_a_job_that_imports_and_then_drops_its_file(news, jsonl, admin, settings):
    with jsonl(row(1), row(2)).open("rb") as stream:
        from django.core.files import File

        job = start_import(project=news, upload=File(stream, "mine.jsonl"), options=ImportOptions(), by=admin)
    kept = list((settings.MEDIA_ROOT / "imports").iterdir())
    assert len(kept) == 1
    assert "mine" not in kept[0].name
    assert run_job(job.pk)
    job.refresh_from_db()
    assert job.state == JobState.DONE
    assert (job.result["read"], job.result["stored"]) == (2, 2)
    assert (job.progress_done, job.progress_total) == (100, 100)
    assert list_source_ids(news) == ["doc-1", "doc-2"]
    assert SourceDocument.objects.first().source_import.created_by == admin
    assert list((settings.MEDIA_ROOT / "imports").iterdir()) == []


def test_a_refused_upload_fails_with_its_faults(news, jsonl, admin):
    from django.core.files import File

    with jsonl(row(1), {"id": "x"}).open("rb") as stream:
        job = start_import(project=news, upload=File(stream, "mine.jsonl"), options=ImportOptions(), by=admin)
    run_job(job.pk)
    job.refresh_from_db()
    assert job.state == JobState.FAILED
    assert job.error.startswith("mine.jsonl, line 2")
    assert [fault["line"] for fault in job.faults] == [2]
    assert job.result["read"] == 2
    assert nothing_left(news)


def test_an_upload_that_is_run_again_after_a_crash_is_not_stored_twice(news, jsonl, admin):
    from django.core.files import File

    from annotation.services.sources.importing import run_import

    with jsonl(row(1)).open("rb") as stream:
        job = start_import(project=news, upload=File(stream, "mine.jsonl"), options=ImportOptions(), by=admin)
    run_job(job.pk)
    Job.objects.filter(pk=job.pk).update(state=JobState.QUEUED, attempts=0)
    again = run_import(Job.objects.get(pk=job.pk), NoProgress())
    assert again["stored"] == 1
    assert list_source_ids(news) == ["doc-1"]


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"format": "yaml"}, "format"),
        ({"skipped_columns": "url"}, "skipped_columns"),
        ({"row_ids": 1}, "row_ids"),
        ({"colour": "red"}, "colour"),
        ({"partial": "yes"}, "partial"),
        ({"max_words": 0}, "max_words"),
        ({"split": "x" * 30}, "split"),
        ({"licence": "a\x00b"}, "licence"),
    ],
)
def test_wrong_options_are_refused_by_name(options, field):
    with pytest.raises(BadInput) as refused:
        ImportOptions.from_dict(options)
    assert refused.value.field == field


# A large file of plain texts is cut into sentences by a second process.

TEXTS = ["One.  Two!\n\nThree “four”. 🌧️", " cafe\u0301 \\ \t\u2028x", "Dr. No met. It rained."]


@pytest.mark.db_engine
def test_a_large_file_is_cut_beside_the_database_and_stored_the_same(news, meetings, jsonl, monkeypatch):
    rows = [{"id": f"d{number}", "text": text} for number, text in enumerate(TEXTS)]
    rows.append({"id": "said", "segments": [{"speaker": "A", "text": "Yes.\nNo."}]})
    import_(news, jsonl(*rows))
    monkeypatch.setattr(staging_process, "HELPED_FROM", 0)
    import_(meetings, jsonl(*rows, name="again.jsonl"))

    def texts(project):
        found = SourceText.objects.filter(document__project=project).order_by("document_id")
        return list(found.values_list("segments_json", "document__n_segments", "document__content_hash"))

    assert texts(news) == texts(meetings)
    assert len(texts(news)) == 4


def test_when_the_second_process_breaks_nothing_is_left(news, jsonl, monkeypatch):
    monkeypatch.setattr(staging_process, "HELPED_FROM", 0)
    monkeypatch.setattr(staging_process.sys, "executable", "/bin/false")
    with pytest.raises(staging_process.CuttingBroke):
        import_(news, jsonl(row(1)))
    assert nothing_left(news)


# The other formats come in by the same way.


def test_a_story_keeps_its_highlights_beside_the_text(news, tmp_path):
    file = tmp_path / "0a1b.story"
    file.write_text(
        "It rained. The river rose.\n\n@highlight\n\nRiver rises\n\n@highlight\n\nRain falls\n", encoding="utf-8"
    )
    assert import_(news, file).format == "story"
    found = SourceDocument.objects.get()
    assert (found.external_id, found.metadata) == ("0a1b", {"highlights": ["River rises", "Rain falls"]})
    assert [each["text"] for each in found.source_text.segments] == ["It rained.", "The river rose."]


def test_an_archive_of_stories_with_one_name_twice_is_refused(news, tmp_path):
    import zipfile

    file = tmp_path / "stories.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a/one.story", "It rained.\n\n@highlight\n\nRain\n")
        archive.writestr("b/one.story", "It snowed.\n\n@highlight\n\nSnow\n")
    with pytest.raises(ImportRefused, match="twice"):
        import_(news, file)
    assert nothing_left(news)


def test_a_table_with_semicolons(news, tmp_path):
    file = tmp_path / "test.csv"
    file.write_text('id;text;licence;page\na;"One; two.\nThree.";CC0-1.0;7\n', encoding="utf-8")
    assert import_(news, file).format == "csv"
    found = SourceDocument.objects.get()
    assert (found.external_id, found.licence, found.split, found.metadata) == ("a", "CC0-1.0", "test", {"page": "7"})
    assert [each["text"] for each in found.source_text.segments] == ["One; two.", "Three."]


def test_a_ragged_row_is_named_by_its_line(news, tmp_path):
    file = tmp_path / "ragged.csv"
    file.write_text("id,text\na,One.\nb\n", encoding="utf-8")
    with pytest.raises(ImportRefused, match="line 3"):
        import_(news, file)
