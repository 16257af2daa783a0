"""One project with everything in it, one person per role, and callers for each."""

import json
import uuid
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from unittest.mock import patch

from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from annotation.jobs import run_job
from annotation.models import (
    Annotation,
    ApiToken,
    Assignment,
    BulkAction,
    CrowdLink,
    Draw,
    Invitation,
    Job,
    Membership,
    Project,
    Question,
    Role,
    SourceDocument,
)
from annotation.services.accounts import api_tokens
from annotation.services.exports import exporting
from annotation.services.people import crowd_links, invitations
from annotation.services.tasks import claim, live_meters, submit
from evaluation.models import ItemAssignment
from tests.rounds.factories import one_item
from tests.tasks.factories import make_project, pass_gate, payload

UNKNOWN = uuid.UUID("00000000-0000-4000-8000-000000000000")
ROLES = ("annotator", "rater", "reviewer", "researcher", "admin")


class Caller:
    """One person's calls, by token unless told otherwise. The answer carries its JSON as `json_body`."""

    def __init__(self, token: str = "", client: Client | None = None) -> None:
        headers = {"Authorization": f"Token {token}"} if token else {}
        self.client = client or Client(headers=headers, raise_request_exception=True)

    def __call__(self, method: str, path: str, body: Any = None, *, data: Any = None, **headers: str) -> Any:
        by_key = {name.replace("_", "-"): value for name, value in headers.items()}
        url = path if path.startswith(("/", "http")) else f"/api/v1/{path}"
        if data is not None:
            answer = getattr(self.client, method.lower())(url, data, headers=by_key)
        else:
            raw = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
            answer = self.client.generic(method, url, raw, "application/json", headers=by_key)
        kind = answer.headers.get("Content-Type", "")
        answer.json_body = (
            json.loads(answer.content) if "json" in kind and not answer.streaming and answer.content else None
        )
        return answer


@dataclass
class World:
    project: Project
    people: dict[str, User]
    document: SourceDocument
    task: Assignment
    annotation: Annotation
    job: Job
    meter: Job
    question: Question
    view: ItemAssignment
    invitation: Invitation
    crowd_link: CrowdLink
    action: BulkAction
    draw: Draw
    tokens: dict[str, str] = field(default_factory=dict)

    def token(self, name: str, scope: str = "write") -> str:
        key = f"{name}:{scope}"
        if key not in self.tokens:
            row, plain = api_tokens.create_token(user=self.people[name], name="test", scope=scope)
            ApiToken.objects.filter(pk=row.pk).update(last_used_at=timezone.now())
            self.tokens[key] = plain
        return self.tokens[key]

    def as_(self, name: str) -> Caller:
        """By token; "anonymous" is nobody, "reader" an admin with a token that may only read."""
        if name == "anonymous":
            return Caller()
        if name == "reader":
            return Caller(self.token("admin", "read"))
        if name in ("expired", "revoked"):
            return Caller(self.dead(name))
        return Caller(self.token(name))

    def dead(self, how: str) -> str:
        if how in self.tokens:
            return self.tokens[how]
        row, plain = api_tokens.create_token(user=self.people["admin"], name=how, scope="write")
        past = timezone.now() - timedelta(seconds=1)
        changed = {"expires_at": past} if how == "expired" else {"revoked_at": past}
        ApiToken.objects.filter(pk=row.pk).update(**changed)
        self.tokens[how] = plain
        return plain

    def signed_in(self, name: str) -> Caller:
        """By the browser's session; the test client leaves CSRF aside."""
        client = Client()
        client.force_login(self.people[name])
        return Caller(client=client)


def work_off(job: Job) -> None:
    """Do a job here and now, without the look at the connection that a test's transaction would not survive."""
    with patch("annotation.jobs.running.close_old_connections"):
        run_job(job.pk)
    job.refresh_from_db()


def build() -> World:
    """Two sources with frozen groups; the annotator has submitted one summary and holds the next."""
    project = make_project("news", documents=2, overlap=2, frozen=True, assistance="full")
    people = {name: User.objects.create(username=name) for name in (*ROLES, "outsider", "idle")}
    for role in Role:
        Membership.objects.create(project=project, user=people[role.value], role=role)
    Membership.objects.create(project=make_project("elsewhere", documents=1), user=people["outsider"], role=Role.ADMIN)
    people["site"] = User.objects.create(username="site", is_superuser=True)
    pass_gate(project, people["annotator"], people["site"])
    first = claim.claim_next(project=project, annotator=people["annotator"]).assignment
    assert first is not None
    submit.submit_task(assignment=first, payload=payload(), idempotency_key="first")
    task = Assignment.objects.get(annotator=people["annotator"], state="claimed")
    job = exporting.start_export(project=project, options=exporting.ExportOptions(), by=people["admin"])
    work_off(job)
    document = SourceDocument.objects.filter(project=project).order_by("id")[0]
    meter = live_meters.request_measurement(assignment=task, summary="The council met.", revision=0)
    question = Question.objects.create(
        project=project, assignment=task, asker=people["annotator"], text="May I?", asked_at=timezone.now()
    )
    view = one_item(project, people["rater"])
    admin = people["admin"]
    invitation, _plain = invitations.create_invitation(project=project, name="link", roles=["annotator"], by=admin)
    link, _plain = crowd_links.make_link(
        project=project, by=admin, link_settings=crowd_links.LinkSettings(name="link", tasks=1, max_uses=9)
    )
    action = BulkAction.objects.create(
        project=project, kind="release", person=people["annotator"], by=admin, at=timezone.now()
    )
    draw = Draw.objects.create(project=project)
    texts = Annotation.objects.get()
    return World(project, people, document, task, texts, job, meter, question, view, invitation, link, action, draw)
