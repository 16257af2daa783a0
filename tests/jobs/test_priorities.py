"""With one worker, nobody waits for counting and scoring, and jobs take turns; giving way loses nothing."""

import json
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from annotation import jobs
from annotation.extension_points import ExtensionPoint
from annotation.jobs.registry import Handler
from annotation.jobs.running import claim_job
from annotation.models import Job, Project, SourceDocument, SourceImport, SourceText
from annotation.services.scores import token_counts
from epitome.text.tokens import n_tokens

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db_engine]
QUEUES = ("default", "text")


class OneWorker:
    """One worker process of all queues, with a broker that brings its messages in their order."""

    def __init__(self, monkeypatch):
        self.hints, self.ended = [], []
        self.handlers = ExtensionPoint("job handlers", key=lambda handler: handler.kind)
        for module in ("creating", "priorities", "running"):
            monkeypatch.setattr(f"annotation.jobs.{module}.HANDLERS", self.handlers)
        for module in ("creating", "running"):
            monkeypatch.setattr(f"annotation.jobs.{module}.send_hint", lambda job, _queue: self.hints.append(job))

    def knows(self, kind, work, *, queue="default", background=False):
        def stored(job):
            self.ended.append(job.kind if not job.arguments else job.arguments["name"])

        self.handlers.register(Handler(kind, kind, queue, work, stored, background))

    def work_off(self):
        while self.hints:
            jobs.run_hinted_job(self.hints.pop(0), QUEUES)


@pytest.fixture
def turns_are_over(monkeypatch):
    """Every job has had its turn at its second checkpoint."""
    monkeypatch.setattr("annotation.jobs.priorities.TURN_SECONDS", 0)
    monkeypatch.setattr("annotation.jobs.priorities.LONG_TURN_SECONDS", 0)


def add_job(kind, **arguments):
    return jobs.create_job(kind=kind, project=None, by=None, arguments=arguments)


@pytest.fixture
def worker(monkeypatch):
    worker = OneWorker(monkeypatch)
    worker.knows("import", lambda job, progress: {})
    return worker


def in_slices(n, before=lambda _number: None):
    """The work of a background job of n slices; counts them on its row. before: called with each slice's number."""

    def work(job, progress):
        counts = progress.carry({"slices": 0})
        while counts["slices"] < n:
            progress.checkpoint()
            before(counts["slices"])
            counts["slices"] += 1
            progress.set(counts["slices"], n)
        return counts

    return work


def test_an_import_that_comes_while_a_background_job_runs_is_done_first(worker):
    slices, seen = [], {}

    def import_comes(number):
        slices.append(number)
        if number == 2:
            add_job("import")

    def look(job, progress):
        seen.update(Job.objects.values("state", "attempts", "progress_done", "progress_total").get(kind="count"))
        return {}

    worker.knows("count", in_slices(5, import_comes), queue="text", background=True)
    worker.knows("import", look)
    count = add_job("count")
    worker.work_off()

    assert worker.ended == ["import", "count"]
    assert seen == {"state": "queued", "attempts": 0, "progress_done": 3, "progress_total": 5}
    assert slices == [0, 1, 2, 3, 4], "nothing was done twice or left out"
    count.refresh_from_db()
    assert (count.state, count.attempts, count.result, count.progress_done) == ("done", 1, {"slices": 5}, 5)


def test_an_import_that_waits_already_goes_before_an_older_background_job(worker):
    worker.knows("count", in_slices(1), background=True)
    add_job("count")
    add_job("import")

    worker.work_off()

    assert worker.ended == ["import", "count"]


def test_equals_are_done_first_come_first_served(worker):
    imported = []

    def import_comes(number):
        if number == 1 and not imported:
            imported.extend([add_job("import", name="import 1"), add_job("import", name="import 2")])

    worker.knows("count", in_slices(3, import_comes), background=True)
    for name in ("count 1", "count 2", "count 3"):
        add_job("count", name=name)
    worker.work_off()

    assert worker.ended == ["import 1", "import 2", "count 1", "count 2", "count 3"]


def test_a_job_that_gives_way_again_and_again_is_not_given_up_and_gets_on(worker):
    worker.knows("count", in_slices(20, lambda _number: add_job("import")), background=True)
    count = add_job("count")
    worker.work_off()

    count.refresh_from_db()
    assert (count.state, count.attempts, count.result) == ("done", 1, {"slices": 20})
    assert worker.ended.count("import") == 20


def test_giving_way_leaves_the_attempts_that_failed_counted(worker):
    broken, attempts = [], []

    def breaks_once(number):
        attempts.append(Job.objects.get(kind="count").attempts)
        if number == 1 and not broken:
            broken.append(number)
            raise ZeroDivisionError
        add_job("import")

    worker.knows("count", in_slices(4, breaks_once), background=True)
    count = add_job("count")
    worker.work_off()
    worker.hints.append(count.pk)
    worker.work_off()

    count.refresh_from_db()
    assert (count.state, count.result) == ("done", {"slices": 4})
    assert attempts == [1, 1, 2, 2, 2], "the second attempt goes on after it gave way, it is not the first again"


def test_it_does_not_give_way_to_what_its_worker_cannot_do(worker):
    worker.knows("train", lambda job, progress: {}, queue="gpu")
    worker.knows("count", in_slices(3, lambda number: number or add_job("train")), background=True)
    worker.hints.append(add_job("count").pk)
    jobs.run_hinted_job(worker.hints[0], QUEUES)

    assert worker.ended == ["count"]


def test_a_broken_import_waits_for_its_next_try_and_holds_up_nobody(worker):
    def breaks(job, progress):
        raise ZeroDivisionError

    worker.knows("import", breaks)
    worker.knows("count", in_slices(3), background=True)
    broken = add_job("import")
    add_job("count")
    worker.work_off()

    broken.refresh_from_db()
    assert (broken.state, broken.attempts) == ("queued", 1)
    assert worker.ended == ["count"]


def test_an_import_whose_worker_died_goes_before_a_background_job(worker):
    dead = add_job("import")
    claim_job(dead.pk)
    long_ago = timezone.now() - timedelta(hours=1)
    Job.objects.update(lease_until=long_ago, started_at=long_ago)
    worker.knows("count", in_slices(3), background=True)
    worker.hints = [add_job("count").pk]
    worker.work_off()

    assert worker.ended == ["import", "count"]


def test_a_cancelled_job_that_gives_way_stays_cancelled(worker):
    def cancel(number):
        if number == 1:
            add_job("import")
            Job.objects.filter(kind="count").update(state="cancelled")

    worker.knows("count", in_slices(3, cancel), background=True)
    count = add_job("count")
    worker.work_off()

    count.refresh_from_db()
    assert count.state == "cancelled"
    assert worker.ended == ["import"]


def test_jobs_that_somebody_waits_for_are_found_first(worker):
    worker.knows("count", in_slices(1), background=True)
    expected = [add_job("count"), add_job("import"), add_job("import")]

    assert [pk for pk, _queue in jobs.list_open_jobs()] == [expected[1].pk, expected[2].pk, expected[0].pk]


def test_a_short_job_waits_for_one_turn_of_a_long_one_and_not_for_its_end(worker, turns_are_over):
    seen = {}

    def look(job, progress):
        seen.update(Job.objects.values("state", "attempts", "progress_done", "error").get(kind="extract"))
        return {}

    worker.knows("extract", in_slices(6, lambda number: number == 3 and add_job("export")))
    worker.knows("export", look)
    extraction = add_job("extract")
    worker.work_off()

    assert worker.ended == ["export", "extract"]
    assert seen == {"state": "queued", "attempts": 0, "progress_done": 4, "error": ""}
    extraction.refresh_from_db()
    assert (extraction.state, extraction.attempts, extraction.result) == ("done", 1, {"slices": 6})


def test_a_job_does_not_give_way_before_its_turn_is_over(worker):
    worker.knows("extract", in_slices(6, lambda number: number == 3 and add_job("import")))
    add_job("extract")
    worker.work_off()

    assert worker.ended == ["extract", "import"]


def test_long_jobs_take_turns(worker, turns_are_over):
    order = []
    for kind in ("extract", "draw"):
        worker.knows(kind, in_slices(3, lambda _number, kind=kind: order.append(kind)))
        add_job(kind)
    worker.work_off()

    assert order[:4] == ["extract", "draw", "extract", "draw"]
    assert sorted(worker.ended) == ["draw", "extract"]


def test_a_new_job_goes_before_one_that_has_just_had_its_turn(worker, turns_are_over):
    """and one that gave way long ago goes before a new one, so that it is never left out."""
    worker.knows("extract", in_slices(2, lambda number: number or add_job("import", name="first")))
    extraction = add_job("extract")
    jobs.run_job(extraction.pk, QUEUES)
    add_job("import", name="second")
    assert [pk for pk, _queue in jobs.list_open_jobs()][-1] == extraction.pk

    Job.objects.filter(pk=extraction.pk).update(lease_until=timezone.now() - timedelta(minutes=1))
    assert jobs.list_open_jobs()[0][0] == extraction.pk


def test_a_job_that_gave_way_keeps_the_time_it_was_started(worker, turns_are_over):
    worker.knows("extract", in_slices(3, lambda number: number == 1 and add_job("import")))
    extraction = add_job("extract")
    jobs.run_job(extraction.pk, QUEUES)
    extraction.refresh_from_db()
    started_at = extraction.started_at
    assert extraction.has_given_way

    worker.work_off()
    extraction.refresh_from_db()
    assert (extraction.state, extraction.started_at) == ("done", started_at)


def test_tokens_are_counted_once_though_an_import_came_between(worker, monkeypatch):
    monkeypatch.setattr(token_counts, "TOKEN_BATCH", 2)
    project = Project.objects.create(slug="p", name="p", domain="document")
    source_import = SourceImport.objects.create(project=project, file_name="f", file_hash="0", format="jsonl")
    rows = [{"speaker": "", "text": "Four words and more."}]
    for number in range(7):
        document = SourceDocument.objects.create(
            project=project, source_import=source_import, external_id=str(number), origin_id=str(number),
            position=number, published=True, content_hash=str(number), n_segments=1, n_words=4,
        )  # fmt: skip
        SourceText.objects.create(document=document, segments_json=json.dumps(rows))

    def read(job, progress):
        seen.append(SourceDocument.objects.filter(n_tokens=None).count())
        return {}

    def count(job, progress):
        if not seen:
            add_job("import")
        return token_counts.run_counting(job, progress)

    seen = []
    worker.knows("import", read)
    worker.knows("count_tokens", count, queue="text", background=True)
    by = User.objects.create(username="owner")
    job = jobs.create_job(kind="count_tokens", project=project, by=by)
    jobs.run_job(job.pk, QUEUES)
    worker.work_off()

    job.refresh_from_db()
    assert seen == [5], "the import ran after the first batch of two"
    assert (job.state, job.progress_done, job.progress_total) == ("done", 7, 7)
    assert job.result == {"sources": 7, "tokens": 7 * n_tokens(rows[0]["text"])}
