"""Whichever statement of a write fails, and be it the commit: everything is stored or nothing."""

import re

import pytest
from django.db import connection, transaction

from annotation.models import AuditEvent, Job
from epitome.formats.reading import input_file
from epitome.systems.batching import Failure
from epitome.systems.protocol import Output
from modelbridge.models import Run, System, SystemOutput, SystemRevision
from modelbridge.services.runs import output_leases, runs
from modelbridge.services.runs.predictions_upload import upload_predictions
from modelbridge.services.systems import systems
from tests.bridge.conftest import fake_toml
from tests.tasks.planted_faults import BreakAt, Broken

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db_engine]
TOKEN = "here:1:token"


def outline():
    """What every row of the bridge says, apart from when."""
    rows = SystemOutput.objects.values_list("sample_id", "state", "attempts", "text", "worker", "error")
    return [
        sorted(System.objects.values_list("key", "name")),
        sorted(SystemRevision.objects.values_list("number", "config_hash")),
        sorted(Run.objects.values_list("state", "n_samples", "error")),
        sorted(map(repr, rows)),
        sorted(Job.objects.filter(kind="run").values_list("state", "attempts")),
        sorted(AuditEvent.objects.filter(verb__regex="^(system|run)").values_list("verb")),
    ]


def shape(told):
    """An outline without the numbers in texts, which differ from one try to the next."""
    return [[re.sub(r"text \d+", "text", str(row)) for row in rows] for rows in told]


def started(project):
    revision = systems.register_system(project=project, toml_text=fake_toml(), by=None)
    return runs.start_run(project=project, revision=revision, by=None)


def leased(project):
    run = started(project)
    return run, output_leases.claim_batch(run, TOKEN, 4)


def store(held):
    run, batch = held
    results = [*(Output(f"text {row.pk}", versions={"a": "1"}) for row in batch[1:]), Failure("too odd")]
    output_leases.store_results(run, TOKEN, list(zip(batch, results, strict=True)))


def cancelled(project):
    return runs.cancel_run(run=started(project), by=None)


def uploaded(file):
    return lambda project: upload_predictions(project=project, file=input_file(file), by=None)


# What each write needs before it, and the write.
WRITES = {
    "register": (lambda p: p, lambda p: systems.register_system(project=p, toml_text=fake_toml(), by=None)),
    "start": (
        lambda p: systems.register_system(project=p, toml_text=fake_toml(), by=None),
        lambda revision: runs.start_run(project=revision.system.project, revision=revision, by=None),
    ),
    "claim": (started, lambda run: output_leases.claim_batch(run, TOKEN, 4)),
    "store": (leased, store),
    "give back": (leased, lambda held: output_leases.release_outputs(held[0], TOKEN, reason="it crashed")),
    "cancel": (started, lambda run: runs.cancel_run(run=run, by=None)),
    "resume": (cancelled, lambda run: runs.resume_run(run=run, by=None)),
    "fail": (started, lambda run: output_leases.fail_run(run, "needs torch")),
}


class Cleared:
    """What a write made is gone afterwards, so that the next try starts where the first did."""

    def __init__(self, project):
        self.project = project

    def __enter__(self):
        return self

    def __exit__(self, *error):
        Run.objects.filter(project=self.project).delete()
        System.objects.filter(project=self.project).delete()
        Job.objects.filter(kind="run").delete()
        AuditEvent.objects.filter(verb__regex="^(system|run)").delete()


@pytest.mark.parametrize("name", sorted(WRITES))
def test_a_statement_that_fails_leaves_no_half_state(project, name):
    state_before, write = WRITES[name]
    with Cleared(project):
        result = state_before(project)
        start = outline()
        write(result)
        outcome = outline()
    assert outcome != start
    met, n = True, 0
    while met:
        with Cleared(project):
            result = state_before(project)
            fault = BreakAt(n)
            with connection.execute_wrapper(fault):
                try:
                    write(result)
                except Broken:
                    assert fault.hit
            met = fault.hit
            assert shape(outline()) in (shape(start), shape(outcome)), f"statement {n} left half of it behind"
        n += 1
    assert 1 < n < 60


@pytest.mark.parametrize("name", sorted(WRITES))
def test_a_commit_that_fails_leaves_nothing(project, name, monkeypatch):
    state_before, write = WRITES[name]
    result = state_before(project)
    start = outline()

    def refuse():
        raise Broken("planted at the commit")

    with monkeypatch.context() as planted, pytest.raises(Broken):
        planted.setattr(transaction.get_connection(), "_commit", refuse)
        write(result)
    assert outline() == start
    write(result)
    assert outline() != start


def test_an_upload_that_breaks_stores_nothing(project, tmp_path):
    file = tmp_path / "p.jsonl"
    file.write_text('{"position": 0, "system": "fas", "prediction": "x"}\n')
    start, met, n = outline(), True, 0
    while met:
        fault = BreakAt(n)
        with connection.execute_wrapper(fault):
            try:
                uploaded(file)(project)
            except Broken:
                assert outline() == start
        met = fault.hit
        n += 1
    assert outline() != start and n > 4
