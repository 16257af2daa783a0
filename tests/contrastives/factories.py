"""Contrastive examples, and projects with gold summaries in real sentences."""

import hashlib
import json

from django.utils import timezone

from annotation.models import Annotation, Contrastive, ContrastiveSet, Project, Sample, SourceText
from tests.rounds.factories import project_with_gold
from tests.tasks.factories import make_project

__all__ = ["make_gold_project", "project_with_gold", "store_contrastives"]

SOURCE = (
    "Police in Rome arrested two old men on Monday. The angry men had robbed a small bank near the river with a knife.",
    "A judge praised the young officers because they caught the thieves during a long strike of the train drivers.",
)
GOLDS = (
    "Police arrested two men after they robbed a bank in Rome.",
    "A judge praised young officers.",
    "Robbery",
)


def make_gold_project(slug: str = "news", *, golds: tuple[str, ...] = GOLDS, **options) -> Project:
    """One source with a sample for each of these imported references."""
    segments = [{"speaker": "", "text": text} for text in SOURCE]
    project = make_project(
        slug, documents=1, groups=1, size=len(golds), frozen=True, segments=segments, asks=(), **options
    )
    now = timezone.now()
    samples = Sample.objects.filter(project=project).order_by("position")
    for sample, gold in zip(samples, golds, strict=True):
        Annotation.objects.create(
            project=project,
            sample=sample,
            origin="import",
            payload={"summary": gold, "title": "t", "relevant_segments": []},
            schema_version=project.schema_version,
            created_at=now,
        )
    return project


def source_texts(project: Project) -> list[str]:
    row = SourceText.objects.get(document__project=project)
    return [segment["text"] for segment in json.loads(row.segments_json)]


def store_contrastives(project: Project, *, per_gold: int = 2) -> list[Contrastive]:
    """Some examples of every gold summary, its first word replaced, as an imported set."""
    rows = []
    golds = list(Annotation.objects.filter(project=project).order_by("pk"))
    for gold in golds:
        words = gold.payload["summary"].split(" ")
        for number in range(per_gold):
            text = " ".join([f"Word{number}", *words[1:]])
            rows.append(
                Contrastive(
                    project=project,
                    sample_id=gold.sample_id,
                    annotation=gold,
                    rule=("S-N", "G-N")[number % 2],
                    text=text,
                    text_key=hashlib.sha256(text.lower().encode()).hexdigest(),
                    edits=[{"start": 0, "end": len(words[0]), "was": words[0], "now": f"Word{number}"}],
                    generator="import",
                )
            )
    ContrastiveSet.objects.create(
        project=project,
        origin="import",
        generator="import",
        file_name="set.jsonl",
        golds=len(golds),
        examples=len(rows),
        counts={
            "rules": {"S-N": {"drawn": (len(rows) + 1) // 2}, "G-N": {"drawn": len(rows) // 2}},
            "per_gold": {str(per_gold): len(golds)},
        },
        finished_at=timezone.now(),
    )
    return Contrastive.objects.bulk_create(rows)
