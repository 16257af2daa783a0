"""A project whose rows have what a publication must not give away unasked."""

from pathlib import Path
from typing import Any

from annotation.models import Project, Publication, SourceDocument
from annotation.services.people.projects import create_project
from annotation.services.publications import publications
from annotation.services.publications.publication_check import check_publication
from tests.export import factories as export_factories

LONG = " ".join(f"word{number}" for number in range(40))
ROWS: list[dict[str, Any]] = [
    {"id": "a", "text": "Write to anna@example.org today. The council met.", "title": "Anna Meier resigns"},
    {"id": "b", "text": f"The bridge is closed. {LONG}"},
    {"id": "c", "text": f"The bridge is closed. {LONG}"},
    {"id": "d", "text": f"The road is closed. {LONG}"},
    {"id": "e", "text": "Nothing of the kind was ever said by anybody."},
]
SPLITS = {"a": "train", "b": "train", "c": "test", "d": "dev", "e": "train"}


def make_project(folder: Path, django_user_model: Any, *, licence: str = "CC BY 4.0", slug: str = "news") -> Project:
    """Five sources: `b` and `c` are equal, `d` nearly, in three splits; `a` has an address and a name, and a summary
    with a phone number and a marked passage around the address."""
    project = create_project(slug=slug, schema="macsum-doc")
    import_rows(project, folder, [{**row, "split": SPLITS[row["id"]]} for row in ROWS])
    SourceDocument.objects.filter(project=project).update(licence=licence)
    for document in SourceDocument.objects.filter(project=project).order_by("pk"):
        export_factories.add_samples(document, n=1)
    annotator = export_factories.make_person(project, f"writer-{slug}", django_user_model)
    spans = [{"segment": 0, "start": 0, "end": 25, "quote": "Write to anna@example.org"}]
    annotation = export_factories.write_one(
        project, annotator, "Call +49 30 1234567.", relevant_segments=[0], spans=spans
    )
    export_factories.accept_annotation(annotation)
    return project


def import_rows(project: Project, folder: Path, rows: list[dict[str, Any]]) -> None:
    export_factories.import_rows(project, folder, rows, f"{project.slug}.jsonl")


def make_checked(project: Project, tag: str = "v1.0") -> Publication:
    publication = publications.start_publication(project=project, tag=tag, by=None)
    check_publication(publication=publication)
    return publication


def decide(publication: Publication, **decisions: str) -> None:
    """decisions: kind -> decision, of hits not decided; and unlicensed, leaks."""
    for name, decision in decisions.items():
        if name in publications.CHOICES:
            publications.save_choices(publication=publication, choices={name: decision}, by=None)
        else:
            hits = publication.hits.undecided().filter(kind=name)
            publications.decide_hits(publication=publication, hits=hits, decision=decision, by=None)


def make_ready(project: Project, tag: str = "v1.0", **decisions: str) -> Publication:
    publication = make_checked(project, tag)
    chosen = {"email": "mask", "phone": "mask", "name": "keep", "leaks": "leave_out", **decisions}
    decide(publication, **chosen)
    return publication
