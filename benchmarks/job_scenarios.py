"""A job of every kind with what it needs, for benchmarks/killing_jobs.py: small enough to be done again and again."""

import copy
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

IMPORTED, IMPORTED_QUICKLY = 20_000, 500
Make = Callable[[Any], Any]


class Place:
    """What is outside the site and keeps something, such as a server that is called: nothing."""

    def restore(self, kept: Any = None) -> None:
        """Be as after the scenario was made; kept: what its `make` returned for it."""

    def count(self) -> Counter[str]:
        """What was seen outside."""
        return Counter()

    def compare(self, expected: Counter[str], found: Counter[str]) -> list[str]:
        return [] if expected == found else [f"outside: {dict(found)} for {dict(expected)}"]


@dataclass(frozen=True)
class Scenario:
    """A job, and what belongs to it.

    make: makes the world and queues the job, whose id it returns. open: the place outside. around: what holds in every
    worker. follows: kinds of jobs that this one starts and that belong to it. left_out: columns that may differ.
    settle: called with the job's id where it is over: what people or the site do next; whether there is more to do.
    noted_again: events that every attempt notes that comes so far. most: points that are tried at most, where one
    attempt takes long.
    """

    name: str
    make: Make
    kind: str = ""
    open: Callable[[], AbstractContextManager[Place]] = lambda: nullcontext(Place())
    around: Callable[[], AbstractContextManager[Any]] = nullcontext
    follows: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    settle: Callable[[int], bool] = lambda _job: False
    noted_again: tuple[str, ...] = ()
    most: int = 10**6

    @property
    def job_kind(self) -> str:
        return self.kind or self.name

    def jobs_to_do(self, job_id: int) -> list[int]:
        """The job and those that follow from it, as far as they are not over."""
        from django.db.models import Q

        from annotation.models import Job

        rows = Job.objects.under_way().filter(Q(pk=job_id) | Q(kind__in=self.follows)).order_by("pk")
        return list(rows.values_list("pk", flat=True))

    def is_settled(self, job_id: int) -> bool:
        return not self.jobs_to_do(job_id) and not self.settle(job_id)


PUBLISHED = ("publication.check", "publication.write", "publication.push")
RESUMED = ("annotation.Job.result", "annotation.Job.progress_done", "annotation.Job.progress_total")
"""What a job that goes on from the middle says of its last attempt alone."""


def list_scenarios(*, quick: bool = False) -> Sequence[Scenario]:
    n_imported = IMPORTED_QUICKLY if quick else IMPORTED
    return [
        Scenario("import", lambda _place: make_import(n_imported)),
        Scenario("import: restore", make_restore, kind="import"),
        Scenario("export", make_export, noted_again=("dataset.export",)),
        Scenario("count_tokens", make_token_counts, left_out=RESUMED),
        Scenario("extract", make_extraction, left_out=RESUMED, open=open_pipelines),
        Scenario("sample", make_draw, left_out=RESUMED),
        Scenario("tuples", make_tuples, left_out=RESUMED),
        Scenario("score", make_scores, left_out=RESUMED, open=open_pipelines),
        Scenario("statistics", make_statistics, open=open_pipelines),
        Scenario("extra-texts", make_extra_texts, open=open_pipelines),
        Scenario("meter", make_meter, settle=ask_meter_again, follows=("meter",), open=open_pipelines),
        Scenario("contrastives", make_contrastives, left_out=RESUMED, open=open_pipelines),
        Scenario("contrastives-import", make_contrastives_import),
        Scenario(
            "publication-check", lambda _place: make_publication("check"), open=open_pipelines, noted_again=PUBLISHED
        ),
        Scenario("publication-write", lambda _place: make_publication("write"), noted_again=PUBLISHED),
        Scenario("publication-push", lambda _place: make_publication("push"), open=open_hub, noted_again=PUBLISHED),
        Scenario(
            "webhooks",
            make_deliveries,
            open=open_receiver,
            follows=("webhooks",),
            settle=go_on_sending,
            left_out=(*RESUMED, "annotation.WebhookDelivery.attempts"),
        ),
        Scenario("prolific_study", make_study, open=open_platform, left_out=("annotation.CrowdLink.digest",)),
        Scenario("prolific_decision", make_decisions, open=open_platform, left_out=RESUMED),
        Scenario(
            "prolific_bonus",
            make_bonuses,
            open=open_platform,
            left_out=(*RESUMED, "annotation.BonusBatch.platform_id", "annotation.AuditEvent.*"),  # every call is noted
            settle=go_on_paying,
        ),
        Scenario("run", make_run, left_out=RESUMED + MEASURED),
        Scenario("train", make_training, open=open_torch, left_out=RESUMED + MEASURED),
        Scenario("construction", make_construction, open=open_chat, left_out=RESUMED + MEASURED),
        Scenario("judge-round", make_judging, left_out=RESUMED),
        Scenario("round-report", make_report),
        Scenario("rounds-report", make_report_of_rounds),
        Scenario("run-scores", make_run_scores),
        Scenario("tables", make_tables),
        Scenario("example-reset", make_reset, around=in_a_demo, most=10),
        Scenario("example-finish", make_example, left_out=RESUMED + MEASURED, most=4),
    ]


MEASURED = (
    "modelbridge.RunMeter.*",
    "modelbridge.WarmSystem.*",
    "modelbridge.SystemOutput.attempts",
    "modelbridge.SystemOutput.worker",
    "modelbridge.SystemOutput.seconds",
    "modelbridge.SystemOutput.lease_until",
    "modelbridge.Run.meters",
    "modelbridge.Rewrite.attempts",
    "modelbridge.Rewrite.worker",
    "modelbridge.Rewrite.interrupted",
    "modelbridge.Rewrite.seconds",
)
"""Attempts and seconds of single outputs, and what each worker has measured or has in memory."""
WITHOUT_SCENARIO = {
    "example-model": "it needs weights; its steps are those of example-finish and its runs those of run"
}
"""Kinds of jobs that are not killed, and why."""


@contextmanager
def open_pipelines() -> Iterator[Place]:
    """The language pipelines are loaded once, before workers are forked."""
    from annotation.services.scores.measure_batches import settings_tagger
    from annotation.services.sources.candidates import default_extractor

    settings_tagger().tag([["The", "ferry", "left", "."]])
    list(default_extractor().extract_many([[]], 1))
    yield Place()


def data_folder() -> Path:
    from django.conf import settings

    return Path(settings.DATA_DIR)


def work_folder() -> Path:
    """A folder outside the data folder for files that are made first."""
    folder = data_folder().parent / "made"
    folder.mkdir(exist_ok=True)
    return folder


def make_admin(project: Any) -> Any:
    from annotation.models import Role
    from tests.tasks.factories import make_people

    return make_people(1, project, role=Role.ADMIN)[0]


# Sources.


def make_import(n: int) -> int:
    import json

    from annotation.services.people.projects import create_project

    path = work_folder() / "sources.jsonl"
    with path.open("w") as out:
        for number in range(n):
            text = f"Ferry {number} left the harbour late. A storm had closed the channel {number % 7} times."
            out.write(json.dumps({"id": f"source-{number}", "text": text}) + "\n")
    return start_import(create_project(slug="imported", schema="macsum-doc", name="Imported"), path)


def start_import(project: Any, path: Path) -> int:
    from django.core.files import File

    from annotation.services.sources import importing
    from epitome.formats.options import ImportOptions

    with path.open("rb") as stream:
        upload = File(stream, name=path.name)
        job = importing.start_import(project=project, upload=upload, options=ImportOptions(), by=make_admin(project))
    return int(job.pk)


def make_restore(_place: Any) -> int:
    from annotation.services.exports.exporting import ExportOptions, export_to
    from annotation.services.people.projects import create_project
    from tests.rounds.factories import project_with_gold

    path = work_folder() / "whole.jsonl"
    export_to(project=project_with_gold("gold"), path=path, options=ExportOptions(format="jsonl", state="latest"))
    return start_import(create_project(slug="restored", schema="macsum-doc", name="Restored"), path)


def make_export(_place: Any) -> int:
    from annotation.services.exports import exporting
    from tests.rounds.factories import project_with_gold

    project = project_with_gold("gold", documents=20)
    options = exporting.ExportOptions(format="jsonl", state="latest", release="v1")
    return int(exporting.start_export(project=project, options=options, by=make_admin(project)).pk)


def make_token_counts(_place: Any) -> int:
    from annotation.jobs import create_job
    from tests.tasks.factories import make_project

    return int(create_job(kind="count_tokens", project=make_project("counted", documents=60), by=None).pk)


def make_extraction(_place: Any) -> int:
    from annotation.models import Candidate
    from annotation.services.sources import candidates
    from tests.tasks.factories import make_project

    project = make_project("extracted", documents=12, groups=0)
    Candidate.objects.all().delete()
    return int(candidates.start_extraction(project=project, by=make_admin(project)).pk)


def make_draw(_place: Any) -> int:
    from annotation.services.sampling import draw
    from tests.tasks.factories import make_project

    project = make_project("drawn", documents=80, groups=0)
    options = draw.default_options(project, seed=5)
    return int(draw.start_sampling(project=project, options=options, by=make_admin(project)).pk)


def make_tuples(_place: Any) -> int:
    from annotation.services.aggregations.extraction import ExtractionOptions, start_extraction
    from tests.aggregations.factories import make_articles

    project = make_articles(work_folder())
    return int(start_extraction(project=project, options=ExtractionOptions(n=0), by=make_admin(project)).pk)


# Texts.


def make_scores(_place: Any) -> int:
    from annotation.services.scores import score_jobs
    from tests.rounds.factories import project_with_gold

    project = project_with_gold("gold")
    return int(score_jobs.start_scoring(project=project, by=make_admin(project)).pk)


def make_statistics(_place: Any) -> int:
    from annotation.services.statistics import stored
    from tests.rounds.factories import project_with_gold

    project = project_with_gold("gold")
    return int(stored.start_statistics(project=project, by=make_admin(project)).pk)


def make_extra_texts(_place: Any) -> int:
    from annotation.models import Project
    from annotation.services.overlap import extra_texts
    from tests.overlap.factories import written_by

    project, *_rest = written_by(2)
    Project.objects.filter(pk=project.pk).update(extra_below=1.0, extra_most=10)
    project = Project.objects.get(pk=project.pk)
    return int(extra_texts.start_extra_texts(project=project, by=make_admin(project)).pk)


def make_meter(_place: Any) -> int:
    from annotation.services.tasks import claim, live_meters
    from tests.tasks.factories import make_people, make_project

    project = make_project("metered", documents=1, frozen=True, assistance="full")
    task = claim.claim_next(project=project, annotator=make_people(1, project)[0]).assignment
    assert task is not None
    return int(live_meters.request_measurement(assignment=task, summary="The council met.", revision=0).pk)


def ask_meter_again(job_id: int) -> bool:
    """A draft is measured in one attempt: the page asks again for what was not, and the failed job is swept."""
    from annotation.models import Assignment, Job
    from annotation.services.tasks import live_meters

    failed = Job.objects.filter(pk=job_id, state="dead").first()
    if failed is None:
        return False
    task = Assignment.objects.get(pk=failed.arguments["assignment"])
    failed.delete()
    live_meters.request_measurement(assignment=task, summary="The council met.", revision=0)
    return True


def make_contrastives(_place: Any) -> int:
    from annotation.services.contrastives import making
    from annotation.services.contrastives.set_options import SetOptions
    from tests.contrastives.factories import make_gold_project

    project = make_gold_project("contrasted")
    return int(making.start_making(project=project, options=SetOptions(), by=make_admin(project)).pk)


def make_contrastives_import(_place: Any) -> int:
    from django.core.files import File

    from annotation.models import Contrastive, ContrastiveSet
    from annotation.services.contrastives import exporting, importing
    from tests.contrastives.factories import make_gold_project, store_contrastives

    project, path = make_gold_project("contrasted"), work_folder() / "set.jsonl"
    store_contrastives(project)
    exporting.export_to(project=project, path=path)
    Contrastive.objects.all().delete()
    ContrastiveSet.objects.all().delete()
    with path.open("rb") as stream:
        upload = File(stream, name=path.name)
        return int(importing.start_contrastives_import(project=project, upload=upload, by=make_admin(project)).pk)


# Publications.


def make_publication(step: str) -> int:
    from django.contrib.auth import get_user_model

    from annotation.services.publications import publication_jobs, publications
    from tests.publications import factories

    project = factories.make_project(work_folder(), get_user_model())
    by = make_admin(project)
    if step == "check":
        publication = publications.start_publication(project=project, tag="v1.0", by=by)
        return int(publication_jobs.start_check(publication=publication, by=by).pk)
    publication = factories.make_ready(project)
    if step == "write":
        return int(publication_jobs.start_writing(publication=publication, by=by).pk)
    return int(publication_jobs.start_upload(publication=publication, repository="lab/news", private=True, by=by).pk)


class Hub(Place):
    """A hub: the files of the dataset that was uploaded."""

    def __init__(self, stub: Any) -> None:
        self.stub = stub

    def restore(self, kept: Any = None) -> None:
        self.stub.files.clear()

    def count(self) -> Counter[str]:
        return Counter({f"on the hub: {name}": 1 for name in self.stub.files})


@contextmanager
def open_hub() -> Iterator[Place]:
    from django.test import override_settings

    from tests.publications.test_hub import TOKEN, HubStub

    stub = HubStub()
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    with override_settings(EPITOME_HUB_URL=stub.url, EPITOME_HUB_TOKEN=TOKEN):
        yield Hub(stub)
    stub.server.shutdown()


# What is sent to others.

EVENTS = 20


class Inbox(Place):
    """A receiver of webhooks: each id must come at least once."""

    def __init__(self, receiver: Any) -> None:
        self.receiver = receiver

    def restore(self, kept: Any = None) -> None:
        self.receiver.got.clear()

    def count(self) -> Counter[str]:
        times = Counter(headers["Epitome-Delivery"] for _path, headers, _body in self.receiver.got)
        bodies = {(headers["Epitome-Delivery"], body) for _path, headers, body in self.receiver.got}
        return Counter(
            {
                "ids received": len(times),
                "received again": times.total() - len(times),
                "ids with two bodies": len(bodies) - len(times),
            }
        )

    def compare(self, expected: Counter[str], found: Counter[str]) -> list[str]:
        is_right = found["ids received"] == expected["ids received"] and not found["ids with two bodies"]
        return [] if is_right else [f"webhooks: {dict(found)} for {dict(expected)}"]


@contextmanager
def open_receiver() -> Iterator[Place]:
    from django.test import override_settings

    from tests.webhooks import factories

    with factories.open_receiver() as receiver, override_settings(EPITOME_WEBHOOK_HOSTS=receiver.hosts):
        yield Inbox(receiver)


def make_deliveries(place: Any) -> int:
    from annotation.models import Job, Project, WebhookTopic
    from annotation.services.webhooks import deliveries, outbox
    from tests.tasks.factories import make_project
    from tests.webhooks.factories import make_webhook

    project = make_project("hooked", documents=1)
    make_webhook(project, place.receiver.url)
    project = Project.objects.get(pk=project.pk)
    for number in range(EVENTS):
        outbox.put_event(project=project, topic=WebhookTopic.RUN_DONE, data={"run": str(number)})
    deliveries.start_sending()
    return int(Job.objects.get(kind=deliveries.KIND).pk)


def go_on_sending(job_id: int) -> bool:
    """What was left to a later job is sent by it; jobs that ended are swept after a day."""
    from annotation.models import DeliveryState, Job, WebhookDelivery
    from annotation.services.webhooks import deliveries

    Job.objects.filter(kind=deliveries.KIND).exclude(pk=job_id).delete()
    return WebhookDelivery.objects.filter(state=DeliveryState.WAITING).exists()


class Platform(Place):
    """Prolific's stand-in: what it keeps, and the bonuses that it has paid."""

    def __init__(self, stub: Any) -> None:
        self.stub = stub
        self.kept: dict[str, Any] = {}

    def restore(self, kept: Any = None) -> None:
        self.kept = kept if kept is not None else self.kept
        empty = {"studies": {}, "submissions": {}, "batches": {}, "paid": {}}
        for name, values in copy.deepcopy({**empty, **self.kept}).items():
            setattr(self.stub, name, defaultdict(list, values) if name == "paid" else values)
        self.stub.calls.clear()

    def count(self) -> Counter[str]:
        paid = {name: len(amounts) for name, amounts in self.stub.paid.items() if amounts}
        before = {name: len(amounts) for name, amounts in self.kept.get("paid", {}).items()}
        return Counter(
            {
                "studies": len(self.stub.studies),
                "bonuses paid": sum(n - before.get(name, 0) for name, n in paid.items()),
                "paid twice": sum(n - before.get(name, 0) > 1 for name, n in paid.items()),
                "submissions decided": sum(row["status"] == "APPROVED" for row in self.stub.submissions.values()),
            }
        )


@contextmanager
def open_platform() -> Iterator[Place]:
    from django.test import override_settings

    from tests.crowd_studies.platform import TOKEN, PlatformStub

    stub = PlatformStub()
    with override_settings(EPITOME_PROLIFIC_URL=stub.url, EPITOME_PROLIFIC_TOKEN=TOKEN):
        yield Platform(stub)
    stub.server.shutdown()
    stub.server.server_close()


def make_world() -> Any:
    from tests.tasks.factories import make_project

    project = make_project("crowd", documents=2, overlap=2, frozen=True)
    return SimpleNamespace(project=project, people={"admin": make_admin(project)})


def make_study(_place: Any) -> int:
    from annotation.services.core.job_start import start_job
    from annotation.services.crowd_studies import studies
    from tests.crowd_studies.factories import make_crowd_study

    world = make_world()
    study = make_crowd_study(world.project)
    arguments = {"study": study.pk, "do": "create", "base": "http://testserver"}
    by = world.people["admin"]
    return int(start_job(kind=studies.STUDY_JOB, project=world.project, by=by, arguments=arguments).pk)


def make_decisions(_place: Any) -> tuple[int, dict[str, Any]]:
    from annotation.models import CrowdSubmission
    from annotation.services.core.job_start import start_job
    from annotation.services.crowd_studies import submissions
    from tests.tasks.study_writes import a_study, row

    world = make_world()
    study, kept = a_study(world, "ACTIVE")
    names = [f"sub{number}" for number in range(1, 7)]
    kept["submissions"] = {name: row(study, name, submissions.AWAITING) for name in names}
    rows = [
        CrowdSubmission.objects.create(
            study=study, platform_id=name, status=submissions.AWAITING, entered_code=study.link.code
        )
        for name in names
    ]
    arguments = {"study": study.pk, "submissions": [item.pk for item in rows], "do": submissions.APPROVE}
    by = world.people["admin"]
    job = start_job(kind=submissions.DECISION_JOB, project=world.project, by=by, arguments=arguments)
    return int(job.pk), kept


def make_bonuses(_place: Any) -> tuple[int, dict[str, Any]]:
    from annotation.models import Job
    from annotation.services.crowd_studies import bonuses
    from tests.tasks.study_writes import a_batch

    _batch, kept = a_batch(make_world())
    return int(Job.objects.get(kind=bonuses.BONUS_JOB).pk), {**kept, "paid": dict(kept["paid"])}


def go_on_paying(_job: int) -> bool:
    """An admin presses *Go on* until the payments are settled: unclear ones are read back, and sent again where the
    platform does not list them an hour after the call."""
    from datetime import timedelta

    from django.db.models import F

    from annotation.jobs import run_job
    from annotation.models import BonusBatch, BonusState, Job
    from annotation.services.crowd_studies import bonuses

    batch = BonusBatch.objects.select_related("study__project", "created_by").get()
    if batch.state in (BonusState.PAID, BonusState.REFUSED):
        Job.objects.filter(kind=bonuses.BONUS_JOB).exclude(pk=_job).delete()
        return False
    BonusBatch.objects.exclude(sent_at=None).update(sent_at=F("sent_at") - timedelta(hours=2))
    batch.refresh_from_db()
    if bonuses.why_not_again(batch):
        bonuses.go_on(batch=batch, by=batch.created_by)
    else:
        bonuses.send_again(batch=batch, by=batch.created_by)
    run_job(Job.objects.filter(kind=bonuses.BONUS_JOB).order_by("-pk")[0].pk)
    return True


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
