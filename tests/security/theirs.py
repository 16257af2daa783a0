"""A project of other people with one of everything that a body may name, and the same of one's own."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Model
from django.utils import timezone

from annotation.models import (
    Annotation,
    Assignment,
    Contrastive,
    Membership,
    PoolExit,
    Project,
    Publication,
    PublicationHit,
    Role,
    Sample,
    SourceDocument,
)
from annotation.services.exports import releases
from annotation.services.sources.splits import ImportedSplits
from annotation.services.tasks import claim
from evaluation.models import Round
from modelbridge.models import Run, System
from tests.api.world import UNKNOWN
from tests.practice.factories import store_item
from tests.rounds.examples import make_examples
from tests.rounds.factories import launch_new_round, make_run, project_with_gold
from tests.tasks.factories import pass_gate

NOBODY = "nobody-has-this"
WORKERS = (Role.ANNOTATOR, Role.RATER)
RIGHT = {"length": {"low": 1, "high": 9}}


@dataclass(frozen=True)
class Trio:
    """What names an object: of one's own project, of another project, and of none."""

    own: str
    theirs: str
    nowhere: str = NOBODY


def make_theirs() -> Project:
    """Another project, whose only person is the stranger."""
    project = project_with_gold("theirs", documents=3)
    stranger = User.objects.create(username="stranger")
    Membership.objects.bulk_create(Membership(user=stranger, project=project, role=role) for role in WORKERS)
    pass_gate(project, stranger)
    add_more(project, stranger, "their-system", "theirs-v1")
    launch_new_round(project, n_raters=1, n=1, head='raters = ["stranger"]')
    assert claim.claim_next(project=project, annotator=stranger).assignment is not None
    store_item(project, stranger, right=RIGHT)
    return project


def add_more(project: Project, by: User, system: str, tag: str) -> None:
    """A run, an example, a release, and a publication with a hit."""
    run = make_run(project, system)
    Run.objects.filter(pk=run.pk).update(label=f"{system} once")
    make_examples(project, rules=["word"])
    releases.freeze_release(project=project, tag=tag, state="latest", splits=ImportedSplits(), split_seed=None, by=by)
    hits = Publication.objects.create(project=project, tag=f"{tag}-public")
    document = SourceDocument.objects.filter(project=project).order_by("pk")[0]
    mark = {"field": "source", "kind": "email", "start": 0, "end": 4, "fingerprint": "0"}
    PublicationHit.objects.create(publication=hits, document=document, **mark)
    sample = Sample.objects.filter(project=project).order_by("pk")[0]
    PoolExit.objects.create(project=project, sample=sample, skips=2, at=timezone.now())


def name_trios(own: Project, theirs: Project) -> dict[str, Trio]:
    """Of each kind of object: what names one here, one there, and none."""

    def ids(model: type[Model], by: str = "project") -> Trio:
        first, second = (model.objects.filter(**{by: project}).order_by("pk")[0] for project in (own, theirs))
        return Trio(str(first.public_id), str(second.public_id), str(UNKNOWN))

    document = SourceDocument.objects.order_by("pk")
    return {
        "person": Trio("rater", "stranger"),
        "annotator": Trio("annotator", "stranger"),
        "system": Trio("our-system", "their-system"),
        "runnable": Trio("textrank", "their-system"),
        "run": ids(Run),
        "label": Trio("our-system once", "their-system once"),
        "release": Trio("ours-v1", "theirs-v1"),
        "source": Trio(*(document.filter(project=project)[0].external_id for project in (own, theirs))),
        "document": ids(SourceDocument),
        "sample": ids(Sample),
        "annotation": ids(Annotation),
        "assignment": ids(Assignment),
        "example": ids(Contrastive),
        "hit": ids(PublicationHit, "publication__project"),
        "round": ids(Round),
        "system id": ids(System),
    }


def read_rows(models: Any, kept_out: Mapping[str, tuple[str, ...]]) -> dict[str, list[Any]]:
    """Every row of every table. kept_out: columns that any request may change."""
    state = {}
    for model in models:
        columns = [field.attname for field in model._meta.concrete_fields]
        shown = [name for name in columns if name not in kept_out.get(model.__name__, ())]
        state[model.__name__] = list(model.objects.order_by("pk").values_list(*shown))
    return state
