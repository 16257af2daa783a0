"""An aggregation project: articles about groups of people, places and organizations, each named by three annotators.

Written by rule and stored as rows, so that a test of what comes after the annotation needs none of it.
"""

import hashlib
import json
from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from annotation.kinds import KINDS, KindDefaults, register_kind
from annotation.models import (
    AggregationInstance,
    Annotation,
    Assignment,
    AssignmentState,
    Claim,
    Group,
    GuidelineVersion,
    Project,
    Sample,
    SchemaVersion,
    Slot,
    SlotState,
    SourceDocument,
    SourceImport,
    SourceText,
)
from annotation.services.exports.releases import freeze_release
from annotation.services.sources.splits import ByOrigin, ImportedSplits, draw_splits
from evaluation.services.aggregations.ranking_lists import make_ranking_lists

SCHEMA = 'key = "naming"\nname = "Naming"\ndomain = "document"\nlanguage = "en"\n'
THEMES = (  # type, names, what all backgrounds share, answers
    ("person", ("Anne Roy", "Paul Blanc", "Jean Morel"), "politician of France in the senate",
     ("French politicians", "the politicians of France", "senators")),
    ("person", ("Ines Silva", "Rui Costa", "Joao Reis"), "singer of Portuguese fado songs",
     ("Portuguese singers", "fado singers", "musicians")),
    ("person", ("Kurt Weber", "Lena Vogt", "Max Brandt"), "painter of German abstract art",
     ("German painters", "abstract artists", "artists")),
    ("location", ("Lyon", "Paris", "Lille"), "city in France with a cathedral",
     ("French cities", "the two cities", "cathedral towns")),
    ("location", ("Porto", "Lisbon", "Faro"), "harbour town on the coast of Portugal",
     ("Portuguese towns", "harbour towns", "coastal cities")),
    ("location", ("Elbe", "Rhine", "Weser"), "river of Germany that ends in the sea",
     ("German rivers", "rivers", "waterways")),
    ("org", ("Nordbank", "Volksbank", "Seebank"), "bank for savings and loans",
     ("banks", "financial institutions", "lenders")),
    ("org", ("Aero One", "Wings", "Skyline"), "airline with flights in Europe",
     ("airlines", "European airlines", "carriers")),
    ("org", ("Press Daily", "The Herald", "Morning Post"), "newspaper with a morning edition",
     ("newspapers", "daily newspapers", "publishers")),
)  # fmt: skip


class PlainAggregations(KindDefaults):
    """Stands in for the kind where it is not registered."""

    key, export_task, title, purpose = "aggregation", "aggregation", "Aggregations", "Name entities."
    needs_attributes = False
    template, fields = "annotation/tasks/task.html", {}

    def text_of(self, payload):
        return "\n".join(payload.get("answers") or [])

    def parts_of(self, payload):
        return [("answers", self.text_of(payload))]

    def blank(self):
        return {"answers": [], "cannot": False}

    def draft(self, payload):
        return dict(payload)

    def export(self, payload):
        return {"answers": payload.get("answers", []), "cannot": payload.get("cannot", False)}


def ensure_kind():
    if "aggregation" not in KINDS:
        register_kind(PlainAggregations())


def make_aggregation_project(n_articles=12, slug="naming", *, split=""):
    """Articles with two instances each, of three annotations each; the answers of an article's theme are its golds."""
    ensure_kind()
    project = Project.objects.create(slug=slug, name="Naming", kind="aggregation", preset="tesa", overlap=3)
    digest = hashlib.sha256(SCHEMA.encode()).hexdigest()
    schema = SchemaVersion.objects.create(project=project, number=1, text=SCHEMA, content_hash=digest)
    guideline = GuidelineVersion.objects.create(project=project, number=1, text="# Guideline")
    came = SourceImport.objects.create(
        project=project, file_name="f.jsonl", file_hash="0", format="jsonl", published_at=timezone.now()
    )
    people = [User.objects.get_or_create(username=f"annotator{n}")[0] for n in (1, 2, 3)]
    for number in range(n_articles):
        document = _add_article(project, came, number, split)
        for place in (0, 1):
            sample = _add_instance(project, schema, document, number, place)
            _annotate(project, sample, guideline, people, number, place)
    return project


def theme_of(number):
    return THEMES[number % len(THEMES)]


def _add_article(project, came, number, split):
    _entity_type, names, shared, _answers = theme_of(number)
    sentences = [
        f"{names[0]} and {names[1]} were in the news of week {number}.",
        f"{names[1]} met {names[2]} in the evening.",
        f"Both know {shared} well.",
    ]
    document = SourceDocument.everything.create(
        project=project,
        source_import=came,
        published=True,
        external_id=f"article-{number}",
        origin_id=f"article-{number}",
        position=number,
        title=f"Week {number}",
        split=split,
        metadata_json=json.dumps({"abstract": f"{names[0]}, {names[1]} and {names[2]}: {shared}."}),
        content_hash="0",
        n_segments=len(sentences),
        n_words=30,
        may_release_text=True,
    )
    segments = [{"speaker": "", "text": sentence} for sentence in sentences]
    SourceText.objects.create(document=document, segments_json=json.dumps(segments))
    return document


def _add_instance(project, schema, document, number, place):
    """The first instance is a pair in its sentences, the second all three in the abstract."""
    entity_type, names, shared, _answers = theme_of(number)
    group = Group.objects.create(project=project, document=document, position=place, frozen_at=timezone.now())
    sample = Sample.objects.create(
        project=project, document=document, group=group, schema_version=schema, position=place, values={},
        combination="", sampler="test@1",
    )  # fmt: skip
    entities = [
        {"name": name, "url": "", "background": f"{name} is a {shared}.", "background_tokens": 9, "mentions": []}
        for name in sorted(names[: 2 + place])
    ]
    where = (
        {"context_kind": "abstract"} if place else {"context_kind": "content", "first_segment": 0, "last_segment": 1}
    )
    AggregationInstance.objects.create(
        project=project, sample=sample, key=f"{document.external_id}_{place}", entity_type=entity_type,
        entities=entities, **where,
    )  # fmt: skip
    return sample


def _annotate(project, sample, guideline, people, number, place):
    answers = theme_of(number)[3]
    for rank, person in enumerate(people):
        items = [answers[(rank + place) % 3]] if rank else [answers[place], answers[(place + 1) % 3]]
        add_annotation(project, sample, guideline, person, rank + 1, {"answers": items, "cannot": False})


def add_annotation(project, sample, guideline, person, number, payload):
    now = timezone.now()
    slot = Slot.objects.create(
        project=project, document=sample.document, group=sample.group, sample=sample, number=number,
        state=SlotState.FILLED,
    )  # fmt: skip
    claim = Claim.objects.create(
        project=project, annotator=person, document=sample.document, opened_at=now, closed_at=now,
        lease_until=now + timedelta(minutes=45),
    )  # fmt: skip
    attempt = Assignment.objects.create(
        project=project, claim=claim, slot=slot, sample=sample, group=sample.group, annotator=person,
        state=AssignmentState.SUBMITTED, guideline_version=guideline, assistance="minimal", claimed_at=now,
    )  # fmt: skip
    return Annotation.objects.create(
        project=project, sample=sample, assignment=attempt, payload=payload, schema_version=sample.schema_version,
        guideline_version=guideline, created_at=now,
    )  # fmt: skip


def freeze(project, tag="v1", *, drawn=True, seed=3):
    """A release whose splits are drawn 2:1:1 by article, or those of the import."""
    splits = ImportedSplits()
    if drawn:
        origins = [(document.origin_id, 1) for document in SourceDocument.objects.filter(project=project)]
        splits = draw_splits(seed=seed, origins=origins, shares=(50, 25, 25))
    seed_of_splits = seed if isinstance(splits, ByOrigin) else None
    return freeze_release(project=project, tag=tag, state="latest", splits=splits, split_seed=seed_of_splits, by=None)


def make_ranked_project(n_articles=12, **options):
    """The project with the release v1 and its lists."""
    project = make_aggregation_project(n_articles, **options)
    freeze(project)
    make_ranking_lists(project=project, tag="v1", seed=5, by=None)
    return project
