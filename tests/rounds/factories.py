"""Projects with human summaries and runs, and launched rounds over them."""

from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from annotation.models import Annotation, Membership, Project, Role, Sample
from epitome.rounds.templates import template_text
from evaluation.models import ItemAssignment, Round, RoundTemplate
from evaluation.services.rating import answers as rating_answers
from evaluation.services.rating import item_claims
from evaluation.services.rounds import instructions as round_instructions
from evaluation.services.rounds import launch as round_launch
from evaluation.services.rounds import own_templates, round_access
from modelbridge.models import Run, RunState, System, SystemOutput, SystemRevision
from tests.tasks.factories import make_people, make_project

CONFIG = """
[round]
name = "{name}"
template = "{template}"
seed = 7
raters_per_item = {n_raters}
{head}

[selection]
n = {n}

[[target]]
kind = "gold"
{more}
"""


def project_with_gold(slug: str = "news", *, documents: int = 12, **options: Any) -> Project:
    """Sources with frozen groups, and an imported reference for every sample."""
    project = make_project(slug, documents=documents, groups=1, size=2, frozen=True, **options)
    now = timezone.now()
    Annotation.objects.bulk_create(
        Annotation(
            project=project,
            sample=sample,
            origin="import",
            payload={"summary": f"Gold on topic 1, number {sample.pk}.", "title": "t", "relevant_segments": []},
            schema_version=project.schema_version,
            created_at=now,
        )
        for sample in Sample.objects.filter(project=project)
    )
    return project


def make_run(project: Project, key: str, *, text: str = "") -> Run:
    """A finished run with an output for every sample."""
    system = System.objects.create(project=project, key=key, name=key)
    revision = SystemRevision.objects.create(
        system=system, number=1, kind="lead", role="generate", config_toml="", config_hash=key
    )
    samples = list(Sample.objects.filter(project=project).order_by("pk"))
    run = Run.objects.create(project=project, revision=revision, state=RunState.DONE, n_samples=len(samples), seed=0)
    now = timezone.now()
    SystemOutput.objects.bulk_create(
        SystemOutput(
            project=project,
            run=run,
            sample=first,
            position=place,
            work_order=place,
            state="done",
            text=text or f"Output {key} of sample {first.pk}.",
            finished_at=now,
        )
        for place, first in enumerate(samples)
    )
    return run


def store_template(project: Project) -> RoundTemplate:
    """A template of the project's own, from the text of a built-in one."""
    text = template_text("likert").replace('key = "likert"', 'key = "own"', 1)
    return own_templates.save_template(project=project, text=text, by=None)


def raters_of(project: Project, n: int = 2) -> list[User]:
    return make_people(n, project, Role.RATER)


def config(
    *,
    name: str = "First",
    template: str = "macsum-yes-no",
    n_raters: int = 2,
    n: int = 6,
    head: str = "",
    more: str = "",
) -> str:
    return CONFIG.format(name=name, template=template, n_raters=n_raters, n=n, head=head, more=more)


def launch_new_round(project: Project, *, read: bool = True, text: str = "", **options: Any) -> Round:
    """A round over the project, open; with `read`, everybody has read the instructions."""
    draft = round_launch.make_draft(project=project, text=text or config(**options), by=None)
    round_launch.launch_round(round_=draft, by=None)
    if read:
        for row in draft.raters.select_related("rater"):
            round_instructions.confirm_instructions(
                round_=draft, rater=row.rater, shown_hash=round_instructions.instructions_hash(draft)
            )
    return draft


def claim(round_: Round, rater: User) -> ItemAssignment | None:
    assignment = item_claims.claim_next(round_=round_, rater=rater).assignment
    return round_access.own_item_assignment(rater, assignment.public_id) if assignment is not None else None


def answers_for(view: ItemAssignment, answer: str = "") -> dict[str, Any]:
    """The first answer to every question that is asked, or the one given."""
    rules = view.round.rules
    chosen = {
        key: answer or rules.question(key).asks.options(rules.question(key))[0].value for key in view.item.questions
    }
    return {"answers": {key: {"answer": value, "unsure": False} for key, value in chosen.items()}, "note": ""}


def rate_all(round_: Round, rater: User, answer: str = "") -> list[ItemAssignment]:
    """Rate until nothing is left; the views in the order in which they came."""
    items = []
    while (view := claim(round_, rater)) is not None:
        rating_answers.save_answers(assignment=view, payload=answers_for(view, answer), finish=True)
        items.append(view)
    return items


def member(project: Project, name: str, role: Role) -> User:
    user, _result = User.objects.get_or_create(username=name)
    Membership.objects.create(project=project, user=user, role=role)
    return user


def one_item(project: Project, rater: User) -> ItemAssignment:
    """A round of one item in a project that has any human summary; `rater` has read the instructions and holds it."""
    round_ = launch_new_round(project, n_raters=1, n=1, head=f'raters = ["{rater.username}"]')
    view = claim(round_, rater)
    assert view is not None
    return view
