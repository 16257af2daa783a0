"""The example of entity aggregation: twelve short articles, their instances, and what three annotators answered."""

import tomllib
from functools import cache

from django.contrib.auth.models import User

from annotation.models import AggregationInstance, Project, Role
from annotation.services import example
from annotation.services.aggregations import backgrounds
from annotation.services.aggregations.extraction import ExtractionOptions, extract_tuples
from annotation.services.people import members, projects
from annotation.services.sources import importing
from annotation.services.tasks import claim, leases, submit
from epitome.formats.options import ImportOptions
from evaluation.services.example import writing
from evaluation.services.example.clock import Clock, work_in_the_past

SLUG = "example-aggregation"
NAME = "Example: entity aggregation"
WRITERS = ("annotator2", "annotator3", "annotator4")
"""Those whose answers are in the file, in its order; annotator1 is left with a task to do."""
OPTIONS = ExtractionOptions(n=40, seed=11)
MINUTES = 2


def is_written() -> bool:
    """Whether the three have answered all they are to, so that the first annotator has a task."""
    tasks = Project.objects.filter(slug=SLUG, assignments__annotator__username="annotator1")
    return tasks.exists()


def write_aggregations() -> None:
    """Make the project, its instances and its answers. A run that was interrupted resumes where it stopped."""
    with work_in_the_past() as clock:
        project = Project.objects.filter(slug=SLUG).first() or _make_project()
        clock.set(week=1, day=0, hour=9)
        path = example.FOLDER / "articles.jsonl"
        options = ImportOptions(format="jsonl")
        importing.import_file(
            project=project, path=path, file_name=path.name, options=options, by=_person("researcher")
        )
        with (example.FOLDER / "backgrounds.jsonl").open("rb") as lines:
            backgrounds_by_url = backgrounds.read_file(lines, "backgrounds.jsonl")
        extract_tuples(project=project, options=OPTIONS, given=backgrounds_by_url, by=_person("researcher"))
        for day, name in enumerate(WRITERS):
            clock.set(week=1, day=1 + day, hour=10)
            _answer_tasks(project, name, clock)
    claim.claim_next(project=project, annotator=_person("annotator1"))


def _make_project() -> Project:
    project = projects.create_project(
        slug=SLUG, name=NAME, schema="tesa", kind="aggregation", created_by=_person("admin")
    )
    example.ensure_members(project)
    for name in ("annotator1", *WRITERS):
        members.add_member(project=project, username=name, role=Role.ANNOTATOR, by=_person("admin"))
        writing.confirm_guideline(project, _person(name))
    return project


def _answer_tasks(project: Project, name: str, clock: Clock) -> None:
    """Answer task after task, until one comes for which nothing is written; that one is released."""
    while True:
        assignment = claim.claim_next(project=project, annotator=_person(name)).assignment
        if assignment is None:
            return
        answers = find_answers(assignment.group.document.external_id, assignment.sample_id or 0)
        if not answers:
            leases.release_task(assignment=assignment, whole_unit=True)
            return
        clock.advance(MINUTES)
        phrases = answers[WRITERS.index(name)]
        submit.submit_task(
            assignment=assignment,
            payload={"answers": phrases, "cannot": not phrases},
            idempotency_key=f"example-{assignment.public_id}",
        )


def find_answers(article: str, sample: int) -> list[list[str]]:
    """The answers of the three to a sample; [] where there are none."""
    names = [entity["name"] for entity in AggregationInstance.objects.get(sample=sample).entities]
    return read_answers().get(article, {}).get(", ".join(names), [])


@cache
def read_answers() -> dict[str, dict[str, list[list[str]]]]:
    """Article -> names of a tuple -> the answers of the three."""
    return tomllib.loads((example.FOLDER / "aggregations.toml").read_text(encoding="utf-8"))


def _person(name: str) -> User:
    return User.objects.get(username=name)
