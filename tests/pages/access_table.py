"""The access table of the pages: who may open which page, one row per name of the URLs, and an address for each."""

import pytest
from django.core.files.base import ContentFile
from django.urls import URLPattern, reverse
from django.utils import timezone

from annotation.models import Annotation, Assignment, Draw, EntityBackground, Group, Publication
from annotation.services.accounts.api_tokens import create_token
from annotation.services.people import crowd_links, invitations
from annotation.services.sources import import_uploads
from annotation.services.tasks import assignments, claim, notes, questions, submit
from evaluation.models import JudgeCheck
from evaluation.services.judge_checks.checked_texts import hash_text
from modelbridge.models import TrainingGroup, TrainingRun
from modelbridge.services.runs import runs
from modelbridge.services.systems import systems
from tests.construction.factories import make_rewrite
from tests.crowd_studies.factories import make_crowd_study
from tests.pilot.factories import make_one_of_each
from tests.practice.factories import ensure_practice
from tests.rounds.factories import one_item, store_template
from tests.tasks.factories import payload
from tests.webhooks.factories import make_webhook

STAFF = {"reviewer", "researcher", "admin", "site"}
MAKERS = {"researcher", "admin", "site"}
ADMINS = {"admin", "site"}
MEMBERS = {"annotator", "rater", "reviewer", "researcher", "admin", "site"}
EVERYBODY = {*MEMBERS, "outsider", "idle"}
ANYONE = {*EVERYBODY, "anonymous"}
PAGE_CALLS = {"submit-and-next"}
"""Calls of a page's script, which answer JSON; see tests/pages/test_submit_and_next.py."""
# name: (method, what the address names, who may)
PAGES = {
    "sign-in": ("get", "", ANYONE),
    "sign-in-code": ("get", "", ANYONE),
    "provider-sign-in": ("get", "", set()),  # of a site with a provider; see tests/accounts
    "provider-answer": ("get", "", set()),
    "sign-in-link": ("get", "reset", set()),  # of a site without passwords; see tests/accounts
    "second-factor": ("get", "", EVERYBODY),
    "join": ("get", "invitation", ANYONE),
    "take-part": ("get", "crowd link", ANYONE),
    "sign-out": ("post", "", ANYONE),
    "password_change": ("get", "", EVERYBODY),
    "password_change_done": ("get", "", EVERYBODY),
    "password_reset": ("get", "", ANYONE),
    "password_reset_done": ("get", "", ANYONE),
    "password_reset_confirm": ("get", "reset", ANYONE),
    "password_reset_complete": ("get", "", ANYONE),
    "theme": ("post", "", ANYONE),
    "language": ("get", "", ANYONE),
    "api-reference": ("get", "", ANYONE),
    "help": ("get", "", ANYONE),
    "search": ("get", "", EVERYBODY),
    "jobs-latest": ("get", "", {*MAKERS, "outsider"}),
    "jobs-ended": ("get", "", EVERYBODY),
    "jobs-seen": ("post", "", EVERYBODY),
    "help-chapter": ("get", "chapter", ANYONE),
    "setup": ("get", "", set()),  # not found once there are accounts; see tests/pages/test_setup.py
    "site-status": ("get", "", {"site"}),
    "home": ("get", "", EVERYBODY),
    "examples-reset": ("get", "", set()),  # in the demo only
    "tour-dismiss": ("post", "project", set()),  # of the finished example only
    "project-new": ("get", "", {*MAKERS, "outsider"}),
    "evaluation-new": ("get", "", {*MAKERS, "outsider"}),
    "evaluation-check": ("get", "", {*MAKERS, "outsider"}),
    "evaluation-start": ("get", "project", MAKERS),
    "tokens": ("get", "", EVERYBODY),
    "token-revoke": ("post", "token", {"researcher"}),
    "job": ("get", "job", MAKERS),
    "job-state": ("get", "job", MAKERS),
    "job-cancel": ("post", "job", MAKERS),
    "job-download": ("get", "job", set()),
    "project": ("get", "project", STAFF),
    "progress": ("get", "project", STAFF),
    "annotations": ("get", "project", STAFF),
    "change-step": ("post", "project", MAKERS),
    "skips": ("get", "project", STAFF),
    "ledger": ("get", "project", MAKERS),
    "ledger-file": ("get", "project", MAKERS),
    "steering": ("get", "project", MAKERS),
    "documents": ("get", "project", STAFF),
    "document": ("get", "document", STAFF),
    "import": ("get", "project", MAKERS),
    "import-check": ("get", "upload", MAKERS),
    "import-result": ("get", "import", MAKERS),
    "import-left-out": ("get", "import", MAKERS),
    "sources-licence": ("get", "project", MAKERS),
    "sources-priority": ("get", "project", MAKERS),
    "overlap-extra": ("post", "project", MAKERS),
    "runs-scores": ("post", "project", set()),
    "select": ("get", "project", MAKERS),
    "samples": ("get", "project", STAFF),
    "draw": ("get", "project", MAKERS),
    "undo-draw": ("get", "draw", MAKERS),
    "extract-tuples": ("get", "project", MAKERS),
    "entities": ("get", "project", STAFF),
    "entities-upload": ("get", "project", MAKERS),
    "entity": ("get", "entity", MAKERS),
    "extract": ("post", "project", MAKERS),
    "statistics": ("get", "project", STAFF),
    "statistics-start": ("post", "project", MAKERS),
    "statistics-file": ("get", "project", set()),
    "jobs": ("get", "project", MAKERS),
    "export": ("get", "project", MAKERS),
    "publications": ("get", "project", MAKERS),
    "publication": ("get", "publication", MAKERS),
    "publication-hits": ("get", "publication", MAKERS),
    "publication-datasheet": ("get", "publication", MAKERS),
    "contrastives": ("get", "project", MAKERS),
    "contrastives-exclude": ("post", "project", set()),  # not found without an example; see tests/contrastives
    "contrastives-import": ("get", "project", MAKERS),
    "contrastives-file": ("get", "project", set()),  # not found without examples; see tests/contrastives
    "members": ("get", "project", ADMINS),
    "invitations": ("get", "project", ADMINS),
    "invite-many": ("get", "project", ADMINS),
    "crowd-links": ("get", "project", ADMINS),
    "crowd-studies": ("get", "project", ADMINS),
    "crowd-study": ("get", "crowd study", ADMINS),
    "withdrawals": ("get", "project", ADMINS),
    "consent-edit": ("get", "project", ADMINS),
    "consent": ("get", "project", set()),  # for crowd workers; see tests/people
    "completion": ("get", "project", set()),  # for crowd workers; see tests/people
    "schema": ("get", "project", MAKERS),
    "attributes-edit": ("get", "project", MAKERS),
    "attributes-preview": ("post", "project", MAKERS),
    "project-guideline": ("get", "project", MAKERS),
    "guideline-preview": ("post", "project", MAKERS),
    "project-settings": ("get", "project", ADMINS),
    "audit": ("get", "project", ADMINS),
    "webhooks": ("get", "project", ADMINS),
    "webhook": ("get", "webhook", ADMINS),
    "task": ("get", "task", {"annotator"}),
    "work": ("get", "project", {"annotator", "site"}),
    "next-task": ("post", "project", {"annotator", "site"}),
    "inspection": ("get", "project", STAFF),
    "inspection-draw": ("post", "project", STAFF),
    "inspection-next": ("post", "project", STAFF),
    "inspection-week": ("get", "project", STAFF),
    "inspection-acceptance": ("get", "project", STAFF),
    "inspect": ("get", "annotation", STAFF),
    "finished": ("get", "handed in", {"annotator"}),
    "revise": ("post", "handed in", {"annotator"}),
    "guideline": ("get", "project", MEMBERS),
    "affected": ("get", "project", MAKERS),
    "ask": ("get", "task", {"annotator"}),
    "task-notes": ("get", "task", {"annotator"}),
    "notes": ("get", "project", STAFF),
    "note": ("post", "note", STAFF),
    "question-seen": ("post", "question-id", {"annotator"}),
    "questions": ("get", "project", STAFF),
    "question": ("get", "question", STAFF),
    "gate": ("get", "project", {"annotator", "site"}),
    "practice": ("get", "project", {"annotator", "site"}),
    "practice-setup": ("get", "project", STAFF),
    "practice-choose": ("get", "project", MAKERS),
    "practice-add": ("get", "document", MAKERS),
    "practice-item": ("get", "practice item", MAKERS),
    "pilot": ("get", "project", STAFF),
    "pilot-choose": ("get", "project", MAKERS),
    "pilot-add": ("get", "free sample", MAKERS),
    "pilot-compare": ("get", "pilot sample", STAFF),
    "pilot-candidate": ("get", "candidate", STAFF),
    "overlap": ("get", "project", STAFF),
    "overlap-compare": ("get", "overlap", STAFF),
    "systems": ("get", "project", MAKERS),
    "system-new": ("get", "project", MAKERS),
    "system-shipped": ("post", "project", MAKERS),
    "system-preview": ("post", "project", MAKERS),
    "system": ("get", "system", MAKERS),
    "runs": ("get", "project", MAKERS),
    "runs-compare": ("get", "project", MAKERS),
    "run-upload": ("get", "project", MAKERS),
    "run": ("get", "run", MAKERS),
    "run-state": ("get", "run", MAKERS),
    "run-file": ("get", "run", MAKERS),
    "sample-outputs": ("get", "a sample", MAKERS),
    "trainings": ("get", "project", MAKERS),
    "training": ("get", "training", MAKERS),
    "training-state": ("get", "training", MAKERS),
    "training-group": ("get", "training-group", MAKERS),
    "construction": ("get", "project", MAKERS),
    "construction-pairs": ("get", "step", MAKERS),
    "rewrite-verdict": ("post", "rewrite", MAKERS),
    "rounds": ("get", "project", MAKERS),
    "round-new": ("get", "project", MAKERS),
    "round-templates": ("get", "project", MAKERS),
    "round-template-new": ("get", "project", MAKERS),
    "round-template": ("get", "round template", MAKERS),
    "round": ("get", "round", MAKERS),
    "round-check": ("post", "project", MAKERS),
    "round-preview": ("get", "round", MAKERS),  # of a draft; a launched round leads back to its page
    "round-unblind": ("get", "round", MAKERS),
    "round-import": ("get", "round", ADMINS),
    "round-import-check": ("get", "round", ADMINS),  # without a file it leads back to the first step
    "round-interim": ("get", "round", MAKERS),
    "round-judgements": ("get", "round", MAKERS),
    "round-judges": ("get", "round", MAKERS),
    "round-design": ("get", "round", MAKERS),
    "round-report": ("get", "round", MAKERS),
    "round-report-start": ("post", "round", MAKERS),
    "round-report-file": ("get", "round", set()),
    "round-site": ("get", "round", set()),  # of unblinded rounds; see tests/publications/test_site.py
    "round-report-links": ("get", "round", set()),  # of an unblinded round; see tests/reports/test_links.py
    "rounds-together": ("get", "project", MAKERS),
    "rounds-together-file": ("get", "project", set()),  # of rounds; see tests/reports/test_rounds_together.py
    "shared-report": ("get", "unknown link", set()),  # of an open link; see tests/reports/test_links.py
    "shared-report-file": ("get", "unknown link", set()),
    "round-disagreements": ("get", "round", MAKERS),
    "round-examples": ("get", "round", set()),  # of contrastive examples only; see tests/rounds
    "cases": ("get", "project", MAKERS),
    "cases-file": ("get", "project", set()),  # needs a format; see tests/cases
    "case-new": ("get", "output", MAKERS),
    "run-draft-pairs": ("post", "run", MAKERS),  # of no run that refines: it leads back with the reason
    "run-changes": ("get", "run", MAKERS),
    "run-changes-file": ("get", "run", set()),  # of a study; see tests/changes
    "contrastive-report": ("get", "project", MAKERS),
    "contrastive-report-file": ("get", "project", set()),  # needs a format; see tests/contrastive_report
    "aggregation-report": ("get", "project", STAFF),
    "aggregation-report-file": ("get", "project", set()),  # of aggregations; see tests/rankings
    "rankings": ("get", "project", MAKERS),
    "rankings-file": ("get", "project", set()),  # of runs that rank; see tests/rankings
    "ranking-lists-file": ("get", "no lists", set()),  # see tests/rankings
    "ranking-case": ("get", "no list", set()),  # see tests/rankings
    "judge-check": ("get", "project", STAFF),
    "judge-check-label": ("get", "judge check", STAFF),
    "project-tables": ("get", "project", MAKERS),
    "project-tables-file": ("get", "project", set()),
    "rating": ("get", "project", {"rater", "site"}),
    "round-instructions": ("get", "rated round", {"rater"}),
    "round-qualification": ("get", "rated round", {"rater"}),
    "next-item": ("post", "rated round", {"rater"}),
    "item": ("get", "item", {"rater"}),
}


def collect_url_names(patterns) -> set[str]:
    values = set()
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            values.add(pattern.name)
        else:
            values |= collect_url_names(pattern.url_patterns)
    return values


def submit_other_task(assignment) -> Annotation:
    """Submit the other task of the claim, so that there is a finished one too."""
    other = Assignment.objects.filter(claim=assignment.claim_id).exclude(pk=assignment.pk)[0]
    Group.objects.filter(pk=other.group_id).update(chosen={"topic": ["topic 1"]}, frozen_at=timezone.now())
    submit.submit_task(
        assignment=assignments.get_own_assignment(other.annotator, other.public_id),
        payload=payload(),
        idempotency_key="k",
    )
    return Annotation.objects.get(assignment=other)


def finish_one_output(run):
    """The public id of an output with a text."""
    output = run.outputs.first()
    run.outputs.filter(pk=output.pk).update(state="done", text="The council met.", finished_at=timezone.now())
    return output.public_id


def draw_one_text(project, annotation) -> JudgeCheck:
    """A check with one text to label by hand."""
    text = annotation.payload["summary"]
    drawn = [[f"annotation:{annotation.pk}", hash_text(text)]]
    return JudgeCheck.objects.create(project=project, question="focus", over="references", n=2, seed=0, texts=drawn)


@pytest.fixture
def addresses(world, job):
    token, _plain = create_token(user=world.people["researcher"], name="script")
    claimed = claim.claim_next(project=world.project, annotator=world.people["annotator"])
    other_task = submit_other_task(claimed.assignment)
    slug = world.project.slug
    people = world.people
    view = one_item(world.project, world.people["rater"])  # before the rater has a hand in a source
    pilot = make_one_of_each(world.project, people["researcher"], people["annotator"], people["rater"], other_task)
    result = questions.ask_question(assignment=claimed.assignment, text="May I?")
    revision = systems.register_shipped(project=world.project, key="lead", by=None)
    run = runs.start_run(project=world.project, revision=revision, by=None, queue_it=False)
    rewrite = make_rewrite(world.project, world.project.documents.first())
    arguments = {
        "": [],
        "chapter": ["annotator"],
        "project": [slug],
        "document": [slug, world.project.documents.first().public_id],
        "job": [job.public_id],
        "import": [slug, job.public_id],
        "upload": [slug],
        "token": [token.public_id],
        "question": [slug, result.public_id],
        "question-id": [result.public_id],
        "note": [slug, notes.write_note(assignment=claimed.assignment, text="Cut off.").public_id],
        "task": [claimed.assignment.public_id],
        "free sample": [slug, pilot["free"]],
        "pilot sample": [slug, pilot["pilot-samples"]],
        "practice item": [slug, ensure_practice(world).public_id],
        "candidate": [slug, pilot["pilot-candidates"]],
        "overlap": [slug, pilot["samples"]],
        "annotation": [slug, other_task.public_id],
        "handed in": [other_task.assignment.public_id],
        "round": [slug, view.round.public_id],
        "rated round": [view.round.public_id],
        "round template": [slug, store_template(world.project).public_id],
        "item": [view.public_id],
        "reset": ["MQ", "set-password"],
        "unknown link": ["unknown"],
        "system": [slug, revision.system.public_id],
        "run": [slug, run.public_id],
        "training": [slug, TrainingRun.objects.create(project=world.project, key="hp", name="HP").public_id],
        "training-group": [slug, TrainingGroup.objects.create(project=world.project, name="HP", axes={}).public_id],
        "step": [slug, rewrite.step.key],
        "rewrite": [slug, rewrite.public_id],
        "a sample": [slug, other_task.sample.public_id],
        "no lists": [slug, "v1"],
        "no list": [slug, "v1", other_task.sample.public_id],
        "output": [slug, finish_one_output(run)],
        "judge check": [slug, draw_one_text(world.project, other_task).public_id],
        "entity": [slug, EntityBackground.objects.create(project=world.project, name="Dunmere").public_id],
        "publication": [slug, Publication.objects.create(project=world.project, tag="v1").public_id],
        "webhook": [slug, make_webhook(world.project).public_id],
        "draw": [slug, Draw.objects.create(project=world.project).public_id],
    }
    admin = world.people["admin"]
    link = {"project": world.project, "name": "link", "by": admin, "max_uses": 100}
    arguments["invitation"] = [invitations.create_invitation(roles=["annotator"], **link)[1]]
    link_settings = crowd_links.LinkSettings(name="link", tasks=1, max_uses=100)
    arguments["crowd link"] = [crowd_links.make_link(project=world.project, by=admin, link_settings=link_settings)[1]]
    arguments["crowd study"] = [slug, make_crowd_study(world.project).public_id]
    by_key = {name: reverse(name, args=arguments[what]) for name, (_method, what, _who) in PAGES.items()}
    by_key["take-part"] += "?PROLIFIC_PID=5f1d2a"
    pending = import_uploads.store_uploads([ContentFile(b'{"id": "a", "text": "One. Two."}', name="a.jsonl")])
    by_key["import-check"] += f"?file={pending.sign(world.project)}"
    return by_key
