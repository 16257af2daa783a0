"""Jobs of systems, rounds, reports and the examples, each with what it needs (benchmarks/job_scenarios.py)."""

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from benchmarks.job_places import Place, make_admin, work_folder

# Systems.


def make_run(_place: Any) -> int:
    from modelbridge.services.runs import runs
    from modelbridge.services.systems import systems
    from tests.tasks.factories import make_project

    project = make_project("run", documents=10, groups=2, size=2, frozen=True)
    toml = '[system]\nkey = "echo"\nkind = "fake"\n[options]\nbatch_size = 8\n'
    revision = systems.register_system(project=project, toml_text=toml, by=None)
    run = runs.start_run(project=project, revision=revision, by=None, seed=3)
    assert run.job is not None
    return int(run.job.pk)


@contextmanager
def open_torch() -> Iterator[Place]:
    """Its libraries are loaded once, before workers are forked."""
    from benchmarks.killing_trainings import load_libraries

    load_libraries()
    yield Place()


def make_training(_place: Any) -> int:
    from annotation.services.people.projects import create_project
    from annotation.services.sources.importing import import_file
    from epitome.formats.options import ImportOptions
    from modelbridge.services.training import training
    from tests.models import tiny
    from tests.models.training_text import short_training_text

    project = create_project(slug="trained", schema="macsum-doc", name="Trained")
    for split, n in (("train", 6), ("dev", 3)):
        path = tiny.write(work_folder() / f"{split}.json", n, seed=n)
        options = ImportOptions(with_references=True, split=split)
        import_file(project=project, path=path, file_name=path.name, options=options)
    run = training.start_training(project=project, toml_text=short_training_text(), by=None)
    return int(run.job_id)


class ChatServer(Place):
    """A chat server that counts what it charges for."""

    def __init__(self, server: Any) -> None:
        self.server = server

    def restore(self, kept: Any = None) -> None:
        self.server.answered.clear()

    def count(self) -> Counter[str]:
        answered = Counter(self.server.answered)
        return Counter({"calls": len(answered), "paid again": answered.total() - len(answered)})

    def compare(self, expected: Counter[str], found: Counter[str]) -> list[str]:
        return [] if found["calls"] == expected["calls"] else [f"calls: {dict(found)} for {dict(expected)}"]


@contextmanager
def open_chat() -> Iterator[Place]:
    from django.test import override_settings

    from tests.construction.rule_server import RuleServer

    server = RuleServer(seconds=0.05)
    os.environ["EPITOME_CHAT_SERVERS"] = f"lab={server.base}"
    with override_settings(EPITOME_CHAT_SERVERS=["lab"]):
        yield ChatServer(server)
    server.close()


def make_construction(_place: Any) -> int:
    from modelbridge.services.construction import steps
    from modelbridge.services.systems import systems
    from tests.construction.conftest import TOML, make_project

    project = make_project(work_folder(), n=12)
    revision = systems.register_system(project=project, toml_text=TOML, by=None)
    step = steps.start_step(project=project, key="readability", revision=revision, by=None)
    return int(step.job.pk)


# Rounds and reports.


def make_judging(_place: Any) -> int:
    from evaluation.services.rating import model_judges
    from modelbridge.services.systems import systems
    from tests.rounds.factories import launch_new_round, project_with_gold, raters_of

    project = project_with_gold("judged", documents=4)
    raters_of(project)
    round_ = launch_new_round(project, n=4)
    toml = '[system]\nkey = "judge"\nkind = "fake-judge"\n'
    revision = systems.register_system(project=project, toml_text=toml, by=None)
    return int(model_judges.start_judging(round_=round_, revision=revision, by=make_admin(project)).pk)


def make_rounds(*slugs: str) -> list[Any]:
    """A rated and unblinded round of each project."""
    from evaluation.services.monitoring import round_control
    from tests.reports.test_rounds_together import rated_round

    rounds = [rated_round(slug, 2 * place + 1) for place, slug in enumerate(slugs)]
    return [round_control.apply_action(round_=round_, action="unblind", by=None) for round_ in rounds]


def make_report(_place: Any) -> int:
    from evaluation.services.reports import report_jobs

    (round_,) = make_rounds("reported")
    return int(report_jobs.start_report(round_=round_, by=make_admin(round_.project)).pk)


def make_report_of_rounds(_place: Any) -> int:
    from evaluation.services.reports import rounds_together

    rounds = make_rounds("first", "second")
    project = rounds[0].project
    return int(rounds_together.start_report(project=project, rounds=rounds, by=make_admin(project)).pk)


def make_runs() -> tuple[Any, list[Any]]:
    from tests.rounds import factories

    project = factories.project_with_gold("compared")
    return project, [factories.make_run(project, key) for key in ("lead", "random")]


def make_run_scores(_place: Any) -> int:
    from evaluation.services.runs_compared import score_jobs

    project, runs = make_runs()
    return int(score_jobs.start_scores(project=project, runs=runs, by=make_admin(project)).pk)


def make_tables(_place: Any) -> int:
    from evaluation.services.runs_compared import table_jobs

    project, runs = make_runs()
    return int(table_jobs.start_tables(project=project, runs=runs, composition=None, by=make_admin(project)).pk)


# The demo's examples.


def in_a_demo() -> AbstractContextManager[Any]:
    from django.test import override_settings

    return override_settings(EPITOME_DEMO=True)


def make_reset(_place: Any) -> int:
    from django.contrib.auth.models import User

    from evaluation.services.example import resetting

    with in_a_demo():
        resetting.load_examples()
        job = resetting.start_reset(by=User.objects.create_superuser("site"))
    return int(job.pk)


def make_example(_place: Any) -> int:
    from evaluation.services.example import finished

    job = finished.start_filling(finished.ensure_project())
    assert job is not None
    return int(job.pk)
