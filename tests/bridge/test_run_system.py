"""`run_system` and `score`: here and now, and on from where it was stopped."""

import json

import pytest
from django.core.management import CommandError, call_command

from annotation.jobs import new_token
from annotation.models import Score
from annotation.services.scores import score_jobs
from modelbridge.models import Run, SystemOutput
from modelbridge.services.runs import output_leases, outputs, run_worker, runs
from tests.bridge.conftest import count_states, fake_toml, find_swapped_outputs, write_into_source
from tests.scores.conftest import fake_tagger  # noqa: F401

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run_system(project, tmp_path, capsys):
    config = tmp_path / "echo.toml"
    config.write_text(fake_toml(batch_size=4))

    def run_system(system=str(config), **options):
        capsys.readouterr()
        call_command("run_system", system, project.slug, json=True, **options)
        return json.loads(capsys.readouterr().out)

    return run_system


def test_a_shipped_system_is_registered_and_run_and_scored(project, run_system, fake_tagger):  # noqa: F811
    system = run_system("lead")
    assert (system["state"], system["done"], system["failed"], system["revision"]) == ("done", 12, 0, 1)
    assert score_jobs.start_missing_scoring() == 1  # the sweeper sees what has no scores yet
    counts = score_jobs.score_project(project=project)
    assert counts["outputs"] == 12 and Score.objects.filter(target_kind="output").count() >= 36
    row = SystemOutput.objects.select_related("sample").first()
    [shown_text] = outputs.for_sample(project, row.sample)
    assert shown_text.scores["length"].value == len(shown_text.output.text.split()) + shown_text.output.text.count(".")
    assert next(outputs.export_lines(row.run))["metrics"]["length"]["signature"]


def test_a_system_is_registered_by_command_without_a_run(project, tmp_path, capsys):
    config = tmp_path / "echo.toml"
    config.write_text(fake_toml(batch_size=4))
    for _again in range(2):
        call_command("register_system", str(config), project.slug)
    config.write_text(fake_toml(batch_size=8))
    call_command("register_system", str(config), project.slug, json=True)
    said = capsys.readouterr().out.splitlines()
    assert said[0] == said[1] and "revision 1" in said[0]
    assert json.loads(said[2])["revision"] == 2 and not Run.objects.exists()
    with pytest.raises(CommandError, match="no system"):
        call_command("register_system", "nothing", project.slug)


def test_a_budget_stops_it_and_a_larger_one_goes_on(run_system, monkeypatch):
    with pytest.raises(CommandError, match="states no price"):
        run_system(budget=1.0)
    monkeypatch.setattr(runs, "has_price", lambda _revision: True)
    work = run_worker.RunWorker.work_batch

    def work_for_money(worker, **options):
        result = work(worker, **options)
        SystemOutput.objects.filter(run=worker.run, state="done").update(cost=0.3)
        return result

    monkeypatch.setattr(run_worker.RunWorker, "work_batch", work_for_money)
    with pytest.raises(CommandError, match=r"The budget of 1\.00 is spent"):
        run_system(budget=1.0)
    assert count_states(Run.objects.get()) == {"done": 4, "waiting": 8}
    system = run_system(budget=5.0)
    assert (system["state"], system["done"], Run.objects.get().budget) == ("done", 12, 5.0)


def test_called_again_it_goes_on_where_it_was_stopped(run_system, monkeypatch):
    work, calls = run_worker.RunWorker.work_batch, []

    def stop_after_one(worker, **_options):
        calls.append(1)
        if len(calls) == 2:
            output_leases.claim_batch(worker.run, "otherhost:1:gone", 4)
            raise KeyboardInterrupt
        return work(worker)

    with monkeypatch.context() as stopped, pytest.raises(KeyboardInterrupt):
        stopped.setattr(run_worker.RunWorker, "work_batch", stop_after_one)
        run_system()
    run = Run.objects.get()
    assert count_states(run) == {"done": 4, "leased": 4, "waiting": 4}
    run.outputs.filter(state="leased").update(worker=f"{new_token().split(':')[0]}:999999999:gone")

    system = run_system()
    assert (system["run"], system["done"]) == (str(run.public_id), 12)
    assert find_swapped_outputs(run) == [] and Run.objects.count() == 1


def test_failures_are_told(project, tmp_path, capsys):
    write_into_source(project, 0, "[raise]")
    config = tmp_path / "echo.toml"
    config.write_text(fake_toml())
    call_command("run_system", str(config), project.slug)
    out = capsys.readouterr().out
    assert "10 of 12 samples done" in out and "2 failed: this source cannot be summarized" in out


@pytest.mark.parametrize(("system", "said"), [("led", 'there is no system "led"'), ("gone.toml", "cannot be read")])
def test_what_cannot_be_run_is_one_line(project, system, said):
    with pytest.raises(CommandError, match=said) as refusal:
        call_command("run_system", system, project.slug)
    assert len(str(refusal.value)) <= 500
