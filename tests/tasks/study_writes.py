"""The writes of studies on a platform, by name, as tests/tasks/all_writes.py has them.

A break undoes what is stored here, but not what the platform was told: it keeps that for the next attempt.
"""

import copy
from collections import defaultdict
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.test import override_settings
from django.utils import timezone

from annotation.models import Annotation, BonusBatch, BonusState, CrowdOutcome, CrowdStudy, CrowdSubmission, CrowdWorker
from annotation.services.crowd_studies import bonuses, studies, submissions
from annotation.services.people import crowd_links
from annotation.services.tasks import claim, submit
from tests.client.stub import Reply
from tests.crowd_studies.factories import make_crowd_study
from tests.crowd_studies.platform import TOKEN, PlatformStub
from tests.tasks.factories import pass_gate, payload
from tests.tasks.planted_faults import Broken
from tests.tasks.several_writes import Several

Work = Callable[[], Any]
PERSON = "5f1d2a77c0ffee0000000001"
BEFORE, BONUS = 50, 300
"""Pence: a bonus that the platform lists already, and the one that the ledger proposes."""


class Platform:
    """The platform over all attempts; its site is up only while one is made. now: what it keeps, by name."""

    def __init__(self, **kept: Any) -> None:
        empty = {"studies": {}, "submissions": {}, "batches": {}, "paid": defaultdict(list)}
        self.first: dict[str, Any] = empty | kept
        self.now = copy.deepcopy(self.first)

    def forget(self) -> None:
        """Be as before the first attempt; the site that is up has the same dictionaries."""
        for name, value_before in copy.deepcopy(self.first).items():
            self.now[name].clear()
            self.now[name].update(value_before)

    def up(self, work: Work) -> Work:
        def run() -> Any:
            stub = PlatformStub()
            vars(stub).update(self.now)
            try:
                with override_settings(EPITOME_PROLIFIC_URL=stub.url, EPITOME_PROLIFIC_TOKEN=TOKEN):
                    return work()
            finally:
                stub.server.shutdown()
                stub.server.server_close()

        return run

    def broken_off(self, work: Work) -> Work:
        """A run of a job that a fault ends, and the next one."""

        def run() -> Any:
            self.forget()
            try:
                return self.up(work)()
            except Broken:
                return self.up(work)()

        return run


def find(study: CrowdStudy) -> CrowdStudy:
    return CrowdStudy.objects.select_related("project", "link").get(pk=study.pk)


# Studies.


def study_made(world: Any) -> Work:
    values = {"name": "a", "description": "b", "minutes": 20, "places": 3, "currency": "GBP"}
    fields = {"study_settings": studies.StudySettings(reward=Decimal(3), **values), "base": "http://testserver"}
    fields |= {"project": world.project, "link": world.crowd_link, "by": world.people["admin"]}
    return Platform().up(lambda: studies.create_study(**fields))


def _drafting(world: Any) -> tuple[Platform, Work]:
    study, platform = make_crowd_study(world.project), Platform()

    def draft() -> None:
        result = find(study)
        if result.sent_at is None:
            platform.forget()
        try:
            studies.draft_on_platform(result, "http://testserver")
        finally:
            assert len(platform.now["studies"]) <= 1

    return platform, draft


def study_drafted(world: Any) -> Several:
    """The new secret of the link, then what the platform answered."""
    platform, draft = _drafting(world)
    return Several(platform.up(draft), writes=2)


def study_drafted_by_two_runs(world: Any) -> Work:
    platform, draft = _drafting(world)
    return platform.broken_off(draft)


def a_study(world: Any, status: str) -> tuple[CrowdStudy, dict[str, Any]]:
    """A study that the platform has, and what the platform keeps."""
    study = make_crowd_study(world.project, platform_id="study1", status=status)
    return study, {"studies": {"study1": {"id": "study1", "status": status}}}


def study_published(world: Any) -> Several:
    """The status that was read, then the publication; the next attempt records one that was not recorded."""
    study, stored = a_study(world, studies.UNPUBLISHED)
    platform = Platform(**stored)

    def publish() -> None:
        result = find(study)
        if result.read_at is None:
            platform.forget()
        studies.publish_on_platform(result, world.people["admin"])

    return Several(platform.up(publish), writes=2)


def row(study: CrowdStudy, name: str, status: str) -> dict[str, Any]:
    """A submission as the platform keeps it."""
    fields = {"id": name, "participant_id": PERSON, "study_code": study.link.code, "study": "study1", "status": status}
    return {**fields, "completed_at": "2026-11-20T10:00:00Z"}


def study_read(world: Any) -> Several:
    """The status, then the submissions."""
    study, stored = a_study(world, "ACTIVE")
    listed = {name: row(study, name, submissions.AWAITING) for name in ("sub1", "sub2")}
    return Several(Platform(**stored, submissions=listed).up(lambda: studies.read_from_platform(find(study))), writes=2)


# Submissions.


def a_submission(world: Any, status: str) -> tuple[CrowdSubmission, dict[str, Any]]:
    """A submission of somebody who has opened the link, and what the platform keeps."""
    study, stored = a_study(world, "ACTIVE")
    worker = crowd_links.enter_study(link=study.link, visit=crowd_links.Visit(PERSON, "", ""))
    fields = {"platform_id": "sub1", "status": status, "entered_code": study.link.code}
    submission = CrowdSubmission.objects.create(study=study, worker=worker, **fields)
    return submission, {**stored, "submissions": {"sub1": row(study, "sub1", status)}}


def decision(do: str, **refusals: Reply) -> Callable[[Any], Work]:
    def made(world: Any) -> Work:
        submission, stored = a_submission(world, submissions.AWAITING)
        fields = {"do": do, "reason": "Too short.", "category": "LOW_EFFORT", "by": world.people["admin"]}

        def decide() -> None:
            value = CrowdSubmission.objects.select_related("study__project").get(pk=submission.pk)
            submissions.decide_submission(value, **fields)

        return Platform(**stored, refusals=refusals).up(decide)

    return made


# Bonuses.


def earned(world: Any) -> tuple[CrowdStudy, dict[str, Any]]:
    """A study whose only submission has earned a bonus, and what the platform keeps."""
    type(world.project).objects.filter(pk=world.project.pk).update(pay_per_hour=12.0, pay_currency="GBP")
    submission, stored = a_submission(world, submissions.APPROVED)
    worker = submission.worker
    assert worker is not None
    pass_gate(world.project, worker.user)
    task = claim.claim_next(project=world.project, annotator=worker.user).assignment
    assert task is not None
    submit.submit_task(assignment=task, payload=payload(), idempotency_key=PERSON)
    Annotation.objects.filter(assignment=task).update(timings={"active_seconds": 1800})
    CrowdWorker.objects.filter(pk=worker.pk).update(outcome=CrowdOutcome.COMPLETE, completed_at=timezone.now())
    return find(submission.study), {**stored, "paid": defaultdict(list, sub1=[BEFORE])}


def a_batch(world: Any) -> tuple[BonusBatch, dict[str, Any]]:
    study, stored = earned(world)
    return bonuses.prepare_bonuses(study=study, expect=BONUS, by=world.people["admin"]), stored


def fresh(batch: BonusBatch) -> BonusBatch:
    return BonusBatch.objects.select_related("study__project", "study__link").get(pk=batch.pk)


def bonuses_prepared(world: Any) -> Work:
    study, _stored = earned(world)
    return lambda: bonuses.prepare_bonuses(study=study, expect=BONUS, by=world.people["admin"])


def _sending(world: Any) -> tuple[Platform, Work]:
    """Until they are paid: sent or found to be unclear, and read back."""
    batch, stored = a_batch(world)
    platform = Platform(**stored)

    def send() -> None:
        result = fresh(batch)
        if result.state == BonusState.PREPARED:
            platform.forget()
        try:
            for _step in range(3):
                if result.state != BonusState.PAID:
                    bonuses.send_batch(result, world.people["admin"])
            assert result.state == BonusState.PAID
        finally:
            assert platform.now["paid"]["sub1"] in ([BEFORE], [BEFORE, BONUS]), "paid twice"

    return platform, send


def bonuses_sent(world: Any) -> Several:
    """Set up, being sent, sent, listed, paid."""
    platform, send = _sending(world)
    return Several(platform.up(send), writes=5)


def bonuses_sent_by_two_runs(world: Any) -> Work:
    platform, send = _sending(world)
    return platform.broken_off(send)


def bonuses_refused(world: Any) -> Work:
    batch, stored = a_batch(world)
    refusals = {"bonus-payments": Reply(400, {"error": {"detail": "No money."}})}
    return Platform(**stored, refusals=refusals).up(lambda: bonuses.send_batch(fresh(batch), world.people["admin"]))


def bonuses_sent_again(world: Any) -> Work:
    batch, _stored = a_batch(world)
    now = timezone.now()
    fields = {"sent_at": now - bonuses.SETTLED_AFTER - timedelta(minutes=1), "checked_at": now}
    BonusBatch.objects.filter(pk=batch.pk).update(state=BonusState.UNCERTAIN, **fields)
    return lambda: bonuses.send_again(batch=fresh(batch), by=world.people["admin"])


def bonuses_cancelled(world: Any) -> Work:
    batch, _stored = a_batch(world)
    return lambda: bonuses.cancel_batch(batch=fresh(batch), by=world.people["admin"])


STUDY_WRITES: dict[str, Callable[[Any], Work]] = {
    "study made": study_made,
    "study drafted": study_drafted,
    "study drafted by two runs": study_drafted_by_two_runs,
    "study published": study_published,
    "study read": study_read,
    "submission approved": decision(submissions.APPROVE),
    "submission's return asked for": decision(submissions.RETURN),
    "decision refused": decision(submissions.REJECT, transition=Reply(400, {"error": {"detail": "No."}})),
    "bonuses prepared": bonuses_prepared,
    "bonuses sent": bonuses_sent,
    "bonuses sent by two runs": bonuses_sent_by_two_runs,
    "bonuses refused": bonuses_refused,
    "bonuses sent again": bonuses_sent_again,
    "bonuses cancelled": bonuses_cancelled,
}
