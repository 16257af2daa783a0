"""An import that fails, is killed or runs beside another leaves nothing half stored."""

import pytest
from django.core.files import File
from django.utils import timezone

from annotation.jobs import run_job
from annotation.models import Job, SourceDocument, SourceImport, SourceText
from annotation.services.core.errors import Conflict
from annotation.services.exports.exporting import ExportOptions, export_to
from annotation.services.people.projects import create_project
from annotation.services.sources import import_publish, importing, staging, staging_process
from annotation.services.sources.import_types import ImportRefused
from epitome.formats.options import ImportOptions
from tests.api.world import work_off
from tests.rounds.factories import project_with_gold
from tests.sources.conftest import import_, list_source_ids, nothing_left, row

pytestmark = pytest.mark.django_db


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
    other_source_import = SourceImport.objects.get(published_at__isnull=True)
    other_source_import.options["worker"] |= worker
    other_source_import.save(update_fields=["options"])
    return other_source_import


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


@pytest.mark.db_engine
def test_a_running_import_is_left_alone_and_wins(news, jsonl, monkeypatch, small_batches):
    file = jsonl(*(row(number) for number in range(8)))
    result = leave_half_an_import(news, file, monkeypatch)
    import_publish.sweep_imports()
    assert SourceImport.objects.filter(pk=result.pk).exists()
    with pytest.raises(Conflict, match="Nothing was imported"):
        import_(news, file)
    assert SourceDocument.everything.filter(project=news).count() == 6


def test_an_import_of_another_machine_is_dead_after_ten_silent_minutes(news, jsonl, monkeypatch, small_batches):
    file = jsonl(*(row(number) for number in range(8)))
    result = leave_half_an_import(news, file, monkeypatch, host="elsewhere")
    import_publish.sweep_imports()
    assert SourceImport.objects.filter(pk=result.pk).exists()
    result.counts["at"] = "2020-01-01T00:00:00+00:00"
    result.save(update_fields=["counts"])
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


TEXTS = ["One.  Two!\n\nThree “four”. 🌧️", " cafe\u0301 \\ \t\u2028x", "Dr. No met. It rained."]


@pytest.mark.db_engine
def test_a_large_file_is_cut_beside_the_database_and_stored_the_same(news, meetings, jsonl, monkeypatch):
    rows = [{"id": f"d{number}", "text": text} for number, text in enumerate(TEXTS)]
    rows.append({"id": "said", "segments": [{"speaker": "A", "text": "Yes.\nNo."}]})
    import_(news, jsonl(*rows))
    monkeypatch.setattr(staging_process, "HELPED_FROM", 0)
    import_(meetings, jsonl(*rows, name="again.jsonl"))

    def texts(project):
        source_texts = SourceText.objects.filter(document__project=project).order_by("document_id")
        return list(source_texts.values_list("segments_json", "document__n_segments", "document__content_hash"))

    assert texts(news) == texts(meetings)
    assert len(texts(news)) == 4


def test_when_the_second_process_breaks_nothing_is_left(news, jsonl, monkeypatch):
    monkeypatch.setattr(staging_process, "HELPED_FROM", 0)
    monkeypatch.setattr(staging_process.sys, "executable", "/bin/false")
    with pytest.raises(staging_process.CuttingBroke):
        import_(news, jsonl(row(1)))
    assert nothing_left(news)


# The other formats come in by the same way.


def start_and_kill(project, file, admin, monkeypatch):
    """The job of an import whose worker dies once everything is published."""
    with file.open("rb") as stream:
        upload = File(stream, file.name)
        job = importing.start_import(project=project, upload=upload, options=ImportOptions(partial=True), by=admin)
    with monkeypatch.context() as patched:
        patched.setattr("annotation.jobs.running.close_old_connections", lambda: None)
        patched.setattr(importing, "_delete_files", die)
        with pytest.raises(KeyboardInterrupt):
            run_job(job.pk)
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now())
    return job


def die(_names):
    raise KeyboardInterrupt


def test_an_import_that_is_taken_up_after_its_publication_says_what_was_imported(news, jsonl, admin, monkeypatch):
    job = start_and_kill(news, jsonl(row(1), {"id": "no text"}, row(2)), admin, monkeypatch)
    work_off(job)
    assert job.state == "done" and job.progress_done == 100
    assert (job.result["stored"], job.result["rejected"]) == (2, 1)
    assert [fault["line"] for fault in job.result["faults"]] == [2]
    assert SourceDocument.objects.filter(project=news).count() == 2


def test_a_restore_that_is_taken_up_after_its_publication_says_so_too(tmp_path, admin, monkeypatch):
    file, options = tmp_path / "whole.jsonl", ExportOptions(format="jsonl", state="latest")
    export_to(project=project_with_gold("gold", documents=2), path=file, options=options)
    job = start_and_kill(create_project(slug="whither", schema="macsum-doc"), file, admin, monkeypatch)
    work_off(job)
    assert job.state == "done" and job.progress_done == 100
    assert (job.result["stored"], job.result["references"], job.result["notes"]) == (2, 4, [])
