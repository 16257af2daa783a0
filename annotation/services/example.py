"""The bundled example: projects in the public domain, built through the same services as any other.

Two for writing; with the `models` extra a third one with reference summaries, to train systems on.
"""

from importlib.util import find_spec
from pathlib import Path

from django.contrib.auth.models import User

from annotation.models import Assignment, Group, Project, Role
from annotation.services.guidelines import gate
from annotation.services.people import projects
from annotation.services.sampling import draw as sample_draw
from annotation.services.scores import score_jobs
from annotation.services.sources import candidates as candidate_jobs
from annotation.services.sources import importing
from annotation.services.tasks import claim
from annotation.transactions import write_transaction
from epitome.formats.options import ImportOptions

FOLDER = Path(__file__).resolve().parent.parent / "example"
ANNOTATOR = "annotator1"
PEOPLE = (
    (ANNOTATOR, "annotator"),
    ("rater1", "rater"),
    ("rater2", "rater"),
    ("reviewer", "reviewer"),
    ("researcher", "researcher"),
    ("admin", "admin"),
)
SEED = 20
PER_2000_WORDS = 15.0  # the sources are short: enough for the group without topic and one with
PROJECTS = (
    ("example-news", "Example: news", "macsum-doc", "documents.jsonl"),
    ("example-meetings", "Example: meetings", "macsum-dial", "meetings.jsonl"),
)
TRAINING = ("training-example", "Training example", "macsum-doc")
TRAINING_NEEDS = ("torch", "transformers")
SPLITS = ("train", "dev", "test")


def load_example() -> None:
    """Create the missing parts of the example; idempotent, also after an interrupted start."""
    ensure_people()
    for slug, name, preset, file in PROJECTS:
        if _is_loaded(slug):
            continue
        project = _ensure_project(slug, name, preset)
        _import_sources(project, file, ImportOptions(format="jsonl"))
        candidate_jobs.extract_candidates(project=project)
        if not Group.objects.filter(project=project).exists():
            sample_draw.sample_attributes(
                project=project, options=sample_draw.default_options(project, seed=SEED, per_2000_words=PER_2000_WORDS)
            )
        claim.claim_next(project=project, annotator=User.objects.get(username=ANNOTATOR))
    if all(find_spec(name) for name in TRAINING_NEEDS):
        load_training_example()


def _is_loaded(slug: str) -> bool:
    """Whether the last step was done: the annotator has begun a task."""
    return Assignment.objects.filter(project__slug=slug, project__pilot_of=None, annotator__username=ANNOTATOR).exists()


def load_training_example() -> None:
    """Walks with their summaries, split for training and scored here, so that no worker has to score them first."""
    ensure_people()
    project = _ensure_project(*TRAINING)
    for split in SPLITS:
        options = ImportOptions(
            format="macsum", with_references=True, split=split, licence="CC0-1.0", may_release_text=True
        )
        _import_sources(project, f"walks-{split}.json", options)
    score_jobs.score_project(project=project)


def _ensure_project(slug: str, name: str, preset: str) -> Project:
    """The project, created if missing, with all its members; the annotator has confirmed the guideline."""
    project = Project.objects.filter(slug=slug).first() or projects.create_project(
        slug=slug, name=name, schema=preset, created_by=User.objects.get(username="admin")
    )
    ensure_members(project)
    _pass_gate(project, User.objects.get(username=ANNOTATOR))
    return project


def _import_sources(project: Project, file: str, options: ImportOptions) -> None:
    importing.import_file(project=project, path=FOLDER / file, file_name=file, options=options, by=None)


def ensure_people() -> None:
    """Create the accounts of the example that are missing."""
    for name, role in PEOPLE:
        if not User.objects.filter(username=name).exists():
            user = User(username=name, is_superuser=role == "admin", is_staff=False)
            user.set_unusable_password()
            with write_transaction():
                user.save()


def _pass_gate(project: Project, annotator: User) -> None:
    gate.confirm_guideline(
        project=project,
        user=annotator,
        number=project.guideline_version.number,
        statement_hash=gate.hash_of(gate.statement_text(project)),
        allows_record=True,
    )


def ensure_members(project: Project) -> None:
    """Give the accounts of the example their roles in the project."""
    from annotation.models import Membership

    with write_transaction():
        for name, role in PEOPLE:
            Membership.objects.get_or_create(
                user=User.objects.get(username=name), project=project, role=Role(role).value
            )
