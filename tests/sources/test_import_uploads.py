"""Uploaded files: a job imports them and drops them, also when it is run again."""

import pytest

from annotation.jobs import NoProgress, run_job
from annotation.models import Job, JobState, SourceDocument
from annotation.services.core.errors import BadInput
from annotation.services.sources.import_types import parse_options
from annotation.services.sources.importing import start_import
from epitome.formats.options import ImportOptions
from tests.sources.conftest import list_source_ids, nothing_left, row

pytestmark = pytest.mark.django_db


def test_an_upload_is_a_job_that_imports_and_then_drops_its_file(news, jsonl, admin, settings):
    with jsonl(row(1), row(2)).open("rb") as stream:
        from django.core.files import File

        job = start_import(project=news, upload=File(stream, "mine.jsonl"), options=ImportOptions(), by=admin)
    paths = list((settings.MEDIA_ROOT / "imports").iterdir())
    assert len(paths) == 1
    assert "mine" not in paths[0].name
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
        parse_options(options)
    assert refused.value.field == field


# A large file of plain texts is cut into sentences by a second process.
