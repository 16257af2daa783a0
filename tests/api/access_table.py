"""The access table of the API: who may call what, one row per call, and how a row's address is built."""

from dataclasses import dataclass, field
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction

from annotation.api.urls import urlpatterns as annotation_urls
from annotation.models import ApiToken, Project, Publication, Webhook
from annotation.services.guidelines import gate
from annotation.services.tasks import notes
from epitome.rounds.templates import template_text
from evaluation.api.urls import urlpatterns as rounds_urls
from evaluation.models import JudgeCheck
from evaluation.services.judge_checks.checked_texts import hash_text
from modelbridge.api.urls import urlpatterns as bridge_urls
from tests.api.bridge_cells import CELLS, bridge_of
from tests.api.world import UNKNOWN, World
from tests.inspection.factories import verdict
from tests.pilot.factories import REASON, make_one_of_each
from tests.practice.factories import ensure_practice
from tests.rounds.factories import config, store_template
from tests.tasks.factories import payload
from tests.webhooks.factories import make_webhook

urlpatterns = [*annotation_urls, *rounds_urls, *bridge_urls]
ANYBODY = {"annotator", "rater", "reviewer", "researcher", "admin", "site"}
STAFF = {"reviewer", "researcher", "admin", "site"}
MAKERS = {"researcher", "admin", "site"}
ADMINS = {"admin", "site"}
SIGNED_IN = ANYBODY | {"outsider", "idle"}
CALLERS = ("anonymous", "expired", "revoked", "reader", *sorted(SIGNED_IN))
READ_ONLY = {"GET"}


@dataclass(frozen=True)
class Cell:
    """may: who gets `status`. else_: what the others get."""

    may: set[str]
    status: int = 200
    body: Any = None
    else_: int = 404
    data: Any = None
    headers: dict[str, str] = field(default_factory=dict)


def build_upload() -> dict[str, Any]:
    return {"file": SimpleUploadedFile("a.jsonl", b'{"id": "a", "text": "One sentence."}\n')}


TOPIC = {"chosen": {"topic": [{"text": "topic 1", "candidate": "topic 1"}]}}
KEY = {"Idempotency-Key": "second"}
SIGNED = {"version": 1, "statement_hash": gate.hash_of(gate.statement_text(Project())), "consent": True}
NEW = {"slug": "new", "schema": "macsum-doc"}
ROUND = {"config": config(name="Second", n=1)}
TEMPLATE = {"toml": template_text("likert").replace('key = "likert"', 'key = "second"', 1)}
LEAVE = {"leaves": "rater", "keep": True}
PRACTICE = {
    "values": {"length": "short", "extractiveness": "normal", "specificity": "normal"},
    "right": {"segments": {"needed": [0], "also": []}},
    "reason": "The first one holds it.",
}
CLEAR = {"rater": "rater", "source": str(UNKNOWN), "reason": "agreed"}
TABLE: dict[tuple[str, str], Cell] = {
    ("api-projects", "GET"): Cell(SIGNED_IN),
    ("api-projects", "POST"): Cell(MAKERS | {"outsider"}, 201, NEW, else_=403),
    ("api-project", "GET"): Cell(ANYBODY),
    ("api-project", "PATCH"): Cell(ADMINS, 200, {"name": "Renamed"}),
    ("api-project-schema", "GET"): Cell(ANYBODY),
    ("api-project-schema", "POST"): Cell(MAKERS, 422, {"text": "no schema ="}),
    ("api-guideline", "GET"): Cell(ANYBODY),
    ("api-guideline", "POST"): Cell(MAKERS, 201, {"text": "# Another", "note": "why"}),
    ("api-gate", "GET"): Cell({"annotator", "site"}),
    ("api-gate", "POST"): Cell({"annotator", "site"}, 200, SIGNED),
    ("api-task-questions", "GET"): Cell({"annotator"}),
    ("api-task-questions", "POST"): Cell({"annotator"}, 201, {"text": "Which one?"}),
    ("api-questions", "GET"): Cell(STAFF),
    ("api-task-notes", "GET"): Cell({"annotator"}),
    ("api-task-notes", "POST"): Cell({"annotator"}, 201, {"text": "Cut off."}),
    ("api-notes", "GET"): Cell(STAFF),
    ("api-note-state", "POST"): Cell(STAFF, 200, {"state": "read"}),
    ("api-answer", "POST"): Cell(STAFF, 200, {"answer": "Yes.", "kind": "ruling"}),
    ("api-affected", "GET"): Cell(MAKERS),
    ("api-affected", "POST"): Cell(MAKERS, 200, {"action": "return", "assignments": [str(UNKNOWN)]}),
    ("api-rulings", "GET"): Cell(ANYBODY),
    ("api-documents", "GET"): Cell(STAFF),
    ("api-document", "GET"): Cell(STAFF),
    ("api-document-damage", "POST"): Cell(STAFF, 200, {"damaged": True, "reason": "cut off"}),
    ("api-imports", "POST"): Cell(MAKERS, 202, data=build_upload),
    ("api-import-preview", "POST"): Cell(MAKERS, 200, data=build_upload),
    ("api-document-priorities", "POST"): Cell(MAKERS, 200, {"priorities": {"news-0": 3}}),
    ("api-selections", "GET"): Cell(MAKERS),
    ("api-selections", "POST"): Cell(MAKERS, 201, {"n": 1}),
    ("api-candidates", "POST"): Cell(MAKERS, 202),
    ("api-samples", "GET"): Cell(STAFF),
    ("api-samples", "POST"): Cell(MAKERS, 202, {}),
    ("api-samples-dry-run", "POST"): Cell(MAKERS, 200, {}),
    ("api-draws", "GET"): Cell(STAFF),
    ("api-contrastives", "GET"): Cell(MAKERS),
    ("api-contrastives", "POST"): Cell(MAKERS, 422),  # the world has no accepted summary
    ("api-contrastives-import", "POST"): Cell(MAKERS, 202, data=build_upload),
    ("api-contrastives-exclude", "POST"): Cell(MAKERS, 404, {"ids": [str(UNKNOWN)], "excluded": True}),
    ("api-contrastive-sets", "GET"): Cell(MAKERS),
    ("api-draw-undo", "POST"): Cell(MAKERS, 200, {}),
    ("api-annotations", "GET"): Cell(STAFF),
    ("api-annotation", "GET"): Cell(STAFF),
    ("api-annotation-scores", "GET"): Cell(STAFF),
    ("api-annotation-inspections", "GET"): Cell(STAFF),
    ("api-annotation-inspections", "POST"): Cell(STAFF, 201, verdict()),
    ("api-inspections", "GET"): Cell(STAFF),
    ("api-inspections", "POST"): Cell(STAFF, 200, {}),
    ("api-scores", "POST"): Cell(MAKERS, 202),
    ("api-statistics", "GET"): Cell(STAFF),
    ("api-statistics", "POST"): Cell(MAKERS, 202),
    ("api-export", "GET"): Cell(MAKERS),
    ("api-exports", "POST"): Cell(MAKERS, 202, {}),
    ("api-releases", "GET"): Cell(MAKERS),
    ("api-publications", "GET"): Cell(MAKERS),
    ("api-publications", "POST"): Cell(MAKERS, 201, {"tag": "v2.0"}),
    ("api-publication", "GET"): Cell(MAKERS),
    ("api-publication", "PATCH"): Cell(MAKERS, 200, {"leaks": "keep", "description": {"title": "News"}}),
    ("api-publication-check", "POST"): Cell(MAKERS, 202),
    ("api-publication-hits", "GET"): Cell(MAKERS),
    ("api-publication-hits", "POST"): Cell(MAKERS, 200, {"decision": "mask", "kind": "email"}),
    ("api-publication-write", "POST"): Cell(MAKERS, 409),  # not checked yet
    ("api-publication-upload", "POST"): Cell(MAKERS, 409, {"repository": "lab/news"}),  # no hub is set up
    ("api-jobs", "GET"): Cell(MAKERS),
    ("api-job", "GET"): Cell(MAKERS),
    ("api-job-cancel", "POST"): Cell(MAKERS, 409),  # the export of the table has ended
    ("api-job-download", "GET"): Cell(MAKERS),
    ("api-members", "GET"): Cell(ADMINS),
    ("api-members", "POST"): Cell(ADMINS, 201, {"username": "idle", "role": "annotator"}),
    ("api-member-removal", "POST"): Cell(ADMINS, 204, {"username": "rater", "role": "rater"}),
    ("api-members-pauses", "GET"): Cell(ADMINS),
    ("api-members-bulk", "POST"): Cell(ADMINS, 200, {"usernames": ["rater"], "action": "pause"}),
    ("api-invitations", "GET"): Cell(ADMINS),
    ("api-invitations", "POST"): Cell(ADMINS, 201, {"name": "a", "roles": ["annotator"]}),
    ("api-invitation-revoke", "POST"): Cell(ADMINS, 204),
    ("api-crowd-links", "GET"): Cell(ADMINS),
    ("api-crowd-links", "POST"): Cell(ADMINS, 201, {"name": "a", "tasks": 3}),
    ("api-crowd-link-close", "POST"): Cell(ADMINS, 204),
    ("api-consent", "GET"): Cell(ADMINS),
    ("api-consent", "POST"): Cell(ADMINS, 201, {"purpose": "Research.", "text": "You may stop."}),
    ("api-crowd-workers", "GET"): Cell(ADMINS),
    ("api-webhooks", "GET"): Cell(ADMINS),
    ("api-webhooks", "POST"): Cell(ADMINS, 201, {"url": "https://hooks.example.org/a"}),
    ("api-webhook", "GET"): Cell(ADMINS),
    ("api-webhook", "PATCH"): Cell(ADMINS, 200, {"events": ["run.done"], "paused": True}),
    ("api-webhook", "DELETE"): Cell(ADMINS, 204),
    ("api-webhook-secret", "POST"): Cell(ADMINS, 201),
    ("api-webhook-test", "POST"): Cell(ADMINS, 202),
    ("api-webhook-deliveries", "GET"): Cell(ADMINS),
    ("api-withdrawals", "GET"): Cell(ADMINS),
    ("api-withdrawals", "POST"): Cell(ADMINS, 201, {"person": "reviewer", "mask_name": True, "expect": 2}),
    ("api-withdrawal-preview", "POST"): Cell(ADMINS, 200, {"person": "reviewer", "leave_out": True}),
    ("api-steering", "GET"): Cell(MAKERS),
    ("api-steering", "POST"): Cell(MAKERS, 409, {"kind": "release", "person": "rater", "expect": 0}),
    ("api-steering-preview", "POST"): Cell(MAKERS, 200, {"kind": "release", "person": "annotator"}),
    ("api-steering-undo", "POST"): Cell(MAKERS),
    ("api-freeze", "POST"): Cell(MAKERS, 200, {"frozen": True}),
    ("api-tokens", "GET"): Cell(SIGNED_IN),
    ("api-tokens", "POST"): Cell(set(), else_=401, body={"name": "mine"}),  # by token nobody; see test_tokens
    ("api-token", "DELETE"): Cell(ADMINS, 204),  # the token is the admin's own
    ("api-claim", "POST"): Cell({"annotator", "site"}, 200),
    ("api-task", "GET"): Cell({"annotator"}),
    ("api-choose", "POST"): Cell({"annotator"}, 200, TOPIC),
    ("api-draft", "PUT"): Cell({"annotator"}, 200, {"revision": 0, "payload": {"summary": "x"}}),
    ("api-submit", "POST"): Cell({"annotator"}, 201, {"payload": payload()}, headers=KEY),
    ("api-skip", "POST"): Cell({"annotator"}, 200, {"reason": "other", "note": "torn"}),
    ("api-heartbeat", "POST"): Cell({"annotator"}),
    ("api-release", "POST"): Cell({"annotator"}, 200, {}),
    ("api-meters", "POST"): Cell({"annotator"}, 202, {"summary": "It met.", "revision": 1}),
    ("api-meter", "GET"): Cell({"annotator"}),
    ("api-practice", "GET"): Cell({"annotator", "site"}),
    ("api-practice-tries", "POST"): Cell({"annotator", "site"}, 422, {}),
    ("api-practice-setup", "GET"): Cell(STAFF),
    ("api-practice-setup", "PATCH"): Cell(MAKERS, 200, {"on": True, "share": 0.5}),
    ("api-practice-items", "POST"): Cell(MAKERS, 201, {"document": "news-0", **PRACTICE}),
    ("api-practice-item", "PUT"): Cell(MAKERS, 200, PRACTICE),
    ("api-practice-item", "DELETE"): Cell(MAKERS, 204),
    ("api-practice-annotators", "GET"): Cell(STAFF),
    ("api-practice-annotators", "POST"): Cell(MAKERS, 200, {"person": "annotator", "do": "let_on"}),
    ("api-pilot", "GET"): Cell(STAFF),
    ("api-pilot", "PATCH"): Cell(MAKERS, 200, {"on": True}),
    ("api-pilot-samples", "POST"): Cell(MAKERS, 422, {}),
    ("api-pilot-sample", "GET"): Cell(STAFF),
    ("api-pilot-sample", "DELETE"): Cell(MAKERS, 204),
    ("api-pilot-candidates", "GET"): Cell(STAFF),
    ("api-pilot-candidates", "POST"): Cell(MAKERS, 200, {}),
    ("api-pilot-candidate", "GET"): Cell(STAFF),
    ("api-pilot-decision", "POST"): Cell(MAKERS, 200, {"verdict": "qualified", "reason": REASON}),
    ("api-pilot-reopening", "POST"): Cell(MAKERS, 409, {"reason": REASON}),
    ("api-overlaps", "GET"): Cell(STAFF),
    ("api-overlap-extra", "POST"): Cell(MAKERS, 422),  # the project sets no limit of agreement
    ("api-overlap", "GET"): Cell(STAFF),
    ("api-overlap", "POST"): Cell(STAFF, 201, {"choice": "all"}),
    ("api-overlap", "DELETE"): Cell(STAFF, 409),
    ("api-rounds", "GET"): Cell(MAKERS),
    ("api-rounds", "POST"): Cell(MAKERS, 201, ROUND),
    ("api-round-check", "POST"): Cell(MAKERS, 200, ROUND),
    ("api-round-presets", "GET"): Cell(MAKERS),
    ("api-round-templates", "GET"): Cell(MAKERS),
    ("api-round-templates", "POST"): Cell(MAKERS, 201, TEMPLATE),
    ("api-round-template-check", "POST"): Cell(MAKERS, 200, TEMPLATE),
    ("api-round-template", "GET"): Cell(MAKERS),
    ("api-round-template", "PUT"): Cell(MAKERS, 200, TEMPLATE),
    ("api-round-template", "DELETE"): Cell(MAKERS, 204),
    ("api-round", "GET"): Cell(MAKERS),
    ("api-round", "PUT"): Cell(MAKERS, 409, ROUND),
    ("api-round", "DELETE"): Cell(MAKERS, 409),
    ("api-round-launch", "POST"): Cell(MAKERS, 409),
    ("api-round-state", "POST"): Cell(MAKERS, 200, {"do": "pause"}),
    ("api-round-extra-ratings", "POST"): Cell(MAKERS, 409),  # the design requests none
    ("api-round-raters", "POST"): Cell(MAKERS, 200, LEAVE),
    ("api-round-rater-resume", "POST"): Cell(MAKERS, 422, {"rater": "rater"}),  # who is not paused
    ("api-round-clearances", "POST"): Cell(MAKERS, 422, CLEAR),
    ("api-round-judgements", "GET"): Cell(MAKERS),
    ("api-round-outside", "GET"): Cell(ADMINS),
    ("api-round-outside", "POST"): Cell(ADMINS, 422, data=build_upload),  # the round asks for no marked errors
    ("api-round-outside-remove", "POST"): Cell(ADMINS, 422, {"rater": "rater"}),  # who is no outside rater
    ("api-round-report", "GET"): Cell(MAKERS, 409),
    ("api-round-report", "POST"): Cell(MAKERS, 409),
    ("api-round-interim", "GET"): Cell(MAKERS, 409),
    ("api-round-interim", "POST"): Cell(MAKERS, 409),
    ("api-round-check-file", "GET"): Cell(MAKERS, 409),
    ("api-round-site", "GET"): Cell(MAKERS, 409),  # the round is blind
    ("api-round-judge", "POST"): Cell(MAKERS, 422, {"system": "none"}),
    ("api-tables", "GET"): Cell(MAKERS, 409),  # nobody started their job
    ("api-tables", "POST"): Cell(MAKERS, 202),
    ("api-run-changes", "GET"): Cell(MAKERS),
    ("api-run-changes", "POST"): Cell(MAKERS, 422, {"n": 2}),  # the run of the table has not finished
    ("api-contrastive-report", "GET"): Cell(MAKERS),
    ("api-aggregation-report", "GET"): Cell(STAFF, 400),  # the tasks of the table's project are summaries
    ("api-ranking-lists", "GET"): Cell(MAKERS),
    ("api-ranking-lists", "POST"): Cell(MAKERS, 422, {"release": "v1"}),
    ("api-rankings", "GET"): Cell(MAKERS, 400),  # names no run
    ("api-project-judge-check", "GET"): Cell(MAKERS),
    ("api-project-judge-check", "POST"): Cell(MAKERS, 201, {"n": 2}),
    ("api-judge-check", "GET"): Cell(STAFF),
    ("api-judge-check", "POST"): Cell(STAFF, 200, {"number": 1, "label": "empirical"}),
    ("api-rating", "GET"): Cell(SIGNED_IN),
    ("api-round-instructions", "GET"): Cell({"rater"}),
    ("api-round-instructions", "POST"): Cell({"rater"}, 409, {"hash": "0"}),
    ("api-round-qualification", "POST"): Cell({"rater"}, 422, {"answers": {}}),
    ("api-item-claim", "POST"): Cell({"rater"}),
    ("api-item", "GET"): Cell({"rater"}),
    ("api-item-judgements", "POST"): Cell({"rater"}, 200, {"payload": {"answers": {}}}),
    ("api-item-seen", "POST"): Cell({"rater"}),
    ("api-item-release", "POST"): Cell({"rater"}, 204),
}
TABLE |= {key: Cell(MAKERS, status, body, data=data) for key, (status, body, data) in CELLS.items()}
HANDLED = ("GET", "POST", "PUT", "PATCH", "DELETE")


def prepare_world(world: World) -> None:
    """Everybody's token and one of everything: made once, since a call's changes are undone."""
    for who in CALLERS:
        world.as_(who)
    collect_ids(world)


def list_calls() -> list[tuple[str, str]]:
    """Every (name, method) that the URLs answer."""
    return [
        (row.name, method)
        for row in urlpatterns
        for method in HANDLED
        if hasattr(row.callback.view_class, method.lower())
    ]


def build_path(name: str, slug: str, ids: dict[str, Any]) -> str:
    route = next(row.pattern._route for row in urlpatterns if row.name == name)
    route = route.replace("<slug:slug>", slug).replace("<uuid:job>", str(ids["meters"]))
    return route.replace("<uuid:public_id>", str(next((ids[k] for k in ids if route.startswith(k)), "")))


def collect_ids(world: World) -> dict[str, Any]:
    token = ApiToken.objects.get(user=world.people["admin"], scope="write", revoked_at=None, name="test")
    return {
        "documents": world.document.public_id,
        "annotations": world.annotation.public_id,
        "jobs": world.job.public_id,
        "assignments": world.task.public_id,
        "tokens": token.public_id,
        "meters": world.meter.public_id,
        "questions": world.question.public_id,
        "notes": notes.write_note(assignment=world.task, text="Two towns.").public_id,
        "invitations": world.invitation.public_id,
        "crowd-links": world.crowd_link.public_id,
        "steering": world.action.public_id,
        "rounds": world.view.round.public_id,
        "round-templates": ensure_template(world).public_id,
        "items": world.view.public_id,
        "draws": world.draw.public_id,
        "publications": ensure_publication(world).public_id,
        "webhooks": ensure_webhook(world).public_id,
        "judge-checks": ensure_judge_check(world).public_id,
        "practice-items": ensure_practice(world).public_id,
        **ensure_pilot(world),
        **bridge_of(world),
    }


def ensure_judge_check(world: World) -> JudgeCheck:
    """Made once: a check with the text of a summary."""
    drawn = [[f"annotation:{world.annotation.pk}", hash_text(world.annotation.payload["summary"])]]
    fields = {"question": "focus", "over": "references", "n": 2, "seed": 0}
    return JudgeCheck.objects.get_or_create(project=world.project, **fields, defaults={"texts": drawn})[0]


def ensure_webhook(world: World) -> Webhook:
    """Made once: a webhook with a delivery that waits."""
    return Webhook.objects.filter(project=world.project).first() or make_webhook(world.project)


def ensure_publication(world: World) -> Publication:
    """Made once: a publication that nobody has checked."""
    return Publication.objects.get_or_create(project=world.project, tag="v1")[0]


def ensure_template(world: World) -> Any:
    """Made once: a round template of the project's own."""
    if not hasattr(world, "template"):
        world.template = store_template(world.project)
    return world.template


def ensure_pilot(world: World) -> dict[str, Any]:
    """Made once: a sample of a pilot, a candidate, and a sample with two summaries."""
    if not hasattr(world, "pilot"):
        people = world.people
        world.pilot = make_one_of_each(
            world.project, people["researcher"], people["annotator"], people["rater"], world.annotation
        )
    return world.pilot


def collect_unknown_ids(world: World) -> dict[str, Any]:
    return dict.fromkeys(collect_ids(world), UNKNOWN)


def call_api(world: World, who: str, cell: Cell, method: str, path: str) -> Any:
    """One call whose changes are undone."""
    caller = world.as_(who)
    with transaction.atomic():
        answer = caller(method, path, cell.body, data=cell.data() if cell.data else None, **cell.headers)
        if answer.streaming:
            b"".join(answer.streaming_content)
        transaction.set_rollback(True)
    return answer


def expected_status(cell: Cell, who: str, method: str) -> int:
    if who in ("anonymous", "expired", "revoked"):
        return 401
    if who == "reader":
        return 403 if method not in READ_ONLY else expected_status(cell, "admin", method)
    return cell.status if who in cell.may else cell.else_
