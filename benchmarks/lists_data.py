"""The database of benchmarks.lists: large projects, one of which is looked at."""

from datetime import timedelta
from typing import Any, NamedTuple

from benchmarks.bulk_rows import insert_rows, next_key

PEOPLE = 24
WEEKS = 60
VETERAN = 0.75
"""Share of the tasks of a project that its first annotator has written."""
CODES = tuple(a + b + c for a in "snl" for b in "nhf" for c in "nh")
SPECIAL = {1: "returned", 7: "rejected", 13: "accepted", 31: "accepted", 53: "accepted", 77: "accepted"}
"""Place in a hundred -> state of the attempt, where it is not just submitted."""
SUMMARY = "The night ferry left the harbour late because a storm had closed the outer channel. " * 4


class Keys(NamedTuple):
    """First primary keys of a project's rows."""

    document: int
    group: int
    sample: int
    slot: int
    claim: int
    attempt: int
    annotation: int


def fill_project(slug: str, n_samples: int) -> Any:
    """A project of this many samples, written once each: eight to a source, two to a group. Of every hundred samples,
    five have an open slot beside; thirty in all were written twice; one in a hundred was skipped by somebody."""
    from django.db import transaction

    from annotation.models import Project
    from tests.tasks.factories import make_people, make_project

    with transaction.atomic():
        project = make_project(slug, documents=0)
        people = make_people(PEOPLE, project, start=PEOPLE * project.pk)
        keys = _first_keys()
        _fill_sources(project, keys, n_samples // 8)
        _fill_samples(project, keys, n_samples)
        _fill_work(project, keys, n_samples, people)
        _fill_inspections(project, keys, n_samples, people)
    Project.objects.filter(pk=project.pk).update(overlap=2)
    return project


def _first_keys() -> Keys:
    from annotation.models import Annotation, Assignment, Claim, Group, Sample, Slot, SourceDocument

    return Keys(*map(next_key, (SourceDocument, Group, Sample, Slot, Claim, Assignment, Annotation)))


def _fill_sources(project: Any, keys: Keys, n: int) -> None:
    import json

    from annotation.models import SourceDocument, SourceText
    from tests.tasks.factories import sentences

    its_import = project.imports.get().pk
    texts = [json.dumps(sentences(60, seed)) for seed in range(50)]
    columns = ("id", "project_id", "source_import_id", "published", "external_id", "origin_id", "position", "title")
    columns += ("content_hash", "n_segments", "n_words", "n_tokens", "extractor", "created_at")
    insert_rows(
        SourceDocument,
        columns,
        (
            (
                *(keys.document + i, project.pk, its_import, True, f"{project.slug}-{i}", f"{project.slug}-{i}", i),
                *(f"Source {i}", "0", 3, 60, 70, "test@1", project.created_at),
            )
            for i in range(n)
        ),
    )
    insert_rows(SourceText, ("document_id", "segments_json"), ((keys.document + i, texts[i % 50]) for i in range(n)))


def _fill_samples(project: Any, keys: Keys, n: int) -> None:
    from annotation.models import Group, Sample, Slot

    at, schema = project.created_at, project.schema_version.pk
    insert_rows(
        Group,
        ("id", "project_id", "document_id", "position", "asks", "chosen", "frozen_at", "decisions"),
        (
            (keys.group + i, project.pk, keys.document + i // 4, i % 4, ["topic"], {"topic": ["topic 1"]}, at, [])
            for i in range(n // 2)
        ),
    )
    values = {"length": "short", "extractiveness": "normal", "specificity": "normal"}
    columns = ("id", "project_id", "document_id", "group_id", "schema_version_id", "position", "values", "combination")
    insert_rows(
        Sample,
        (*columns, "sampler", "state", "created_at"),
        (
            (
                *(keys.sample + i, project.pk, keys.document + i // 8, keys.group + i // 2, schema),
                *(i % 8, values, CODES[i % len(CODES)], "test@1", "void" if i % 200 == 99 else "active", at),
            )
            for i in range(n)
        ),
    )
    insert_rows(
        Slot,
        ("id", "project_id", "document_id", "group_id", "sample_id", "number", "state"),
        (
            (keys.slot + place, project.pk, keys.document + i // 8, keys.group + i // 2, keys.sample + i, number, state)
            for place, (i, number, state) in enumerate(_list_slots(n))
        ),
    )


def _list_slots(n: int) -> list[tuple[int, int, str]]:
    """(sample, number, state), the second ones last."""
    second = [(i, 2, "filled" if k < 30 else "open") for k, i in enumerate(range(3, n, 20))]
    return [(i, 1, "filled") for i in range(n)] + second


def _fill_work(project: Any, keys: Keys, n: int, people: list[Any]) -> None:
    from annotation.models import Annotation, Assignment, Claim

    step = timedelta(weeks=WEEKS) / n
    begun = project.created_at - timedelta(weeks=WEEKS)
    version, schema = project.guideline_version.pk, project.schema_version.pk
    attempts = []  # (key, sample, slot, annotator, state)
    for i in range(n):
        person = 0 if i % 4 < 4 * VETERAN else 1 + i % (PEOPLE - 1)
        state = "accepted" if person == 0 and i % 100 == 1 and i > 300 else SPECIAL.get(i % 100, "submitted")
        attempts.append((i, i, people[person].pk, state))
    attempts += [(3 + 20 * k, n + k, people[0].pk, "submitted") for k in range(min(30, n // 20))]
    skips = [(i, i, people[0].pk, "skipped") for i in range(7, n, 100) if i % 4 >= 4 * VETERAN]
    every = attempts + skips
    at = [begun + step * min(k, n) for k in range(len(every))]
    insert_rows(
        Claim,
        ("id", "project_id", "annotator_id", "document_id", "opened_at", "lease_until", "closed_at"),
        (
            (keys.claim + k, project.pk, who, keys.document + i // 8, at[k], at[k], at[k])
            for k, (i, _slot, who, _state) in enumerate(every)
        ),
    )
    columns = ("id", "project_id", "claim_id", "slot_id", "sample_id", "group_id", "annotator_id", "state")
    insert_rows(
        Assignment,
        (*columns, "guideline_version_id", "assistance", "claimed_at", "finished_at", "skip_reason"),
        (
            (
                *(keys.attempt + k, project.pk, keys.claim + k, keys.slot + slot, keys.sample + i, keys.group + i // 2),
                *(who, state, version, "minimal", at[k], at[k], "nothing_fits" if state == "skipped" else ""),
            )
            for k, (i, slot, who, state) in enumerate(every)
        ),
    )
    payload = {"summary": SUMMARY, "title": "The night ferry", "spans": [], "relevant_segments": [0]}
    timings = {"seconds": 540.0, "writing_seconds": 400.0, "active_seconds": 300.0}
    columns = ("id", "project_id", "sample_id", "assignment_id", "payload", "schema_version_id", "guideline_version_id")
    insert_rows(
        Annotation,
        (*columns, "timings", "idempotency_key", "created_at"),
        (
            (
                *(keys.annotation + k, project.pk, keys.sample + i, keys.attempt + k, payload, schema, version),
                *(timings, "k", at[k]),
            )
            for k, (i, _slot, _who, _state) in enumerate(attempts)
        ),
    )


def _fill_inspections(project: Any, keys: Keys, n: int, people: list[Any]) -> None:
    """One in ten was drawn for inspection, and most of these were looked at."""
    from annotation.models import Inspection, InspectionSample, InspectionWeek
    from annotation.services.inspection.weekly_sample import week_of

    step = timedelta(weeks=WEEKS) / n
    begun = project.created_at - timedelta(weeks=WEEKS)
    drawn = [(keys.annotation + i, week_of(begun + step * i, project), i) for i in range(1, n, 10)]
    first_week, first_sample, first = next_key(InspectionWeek), next_key(InspectionSample), next_key(Inspection)
    insert_rows(
        InspectionWeek,
        ("id", "project_id", "week", "seed", "final", "drawn_at"),
        (
            (first_week + k, project.pk, week, "s", True, project.created_at)
            for k, week in enumerate(sorted({week for _key, week, _i in drawn}))
        ),
    )
    insert_rows(
        InspectionSample,
        ("id", "project_id", "annotation_id", "annotator_id", "week", "seed", "reason"),
        (
            (first_sample + k, project.pk, key, people[0 if i % 4 < 3 else 1 + i % (PEOPLE - 1)].pk, week, "s", "drawn")
            for k, (key, week, i) in enumerate(drawn)
        ),
    )
    verdicts = {"content": {"verdict": "accept", "comment": ""}}
    insert_rows(
        Inspection,
        (
            "id",
            "project_id",
            "annotation_id",
            "reviewer_id",
            "verdict",
            "verdicts",
            "comments",
            "seconds",
            "created_at",
        ),
        (
            (first + k, project.pk, key, people[1].pk, "accept", verdicts, [], 60.0, begun + step * i)
            for k, (key, _week, i) in enumerate(drawn)
            if k % 10
        ),
    )
