"""Jobs that send something to others, each with the other side (benchmarks/job_scenarios.py)."""

import copy
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from benchmarks.job_places import Place, make_admin

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
