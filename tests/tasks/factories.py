"""Projects with slots, made straight in the database and in bulk. Benchmarks use them too."""

import hashlib
import json
from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from annotation.models import (
    ApiToken,
    Candidate,
    Group,
    GuidelineReading,
    GuidelineVersion,
    Membership,
    Project,
    Role,
    Sample,
    SchemaVersion,
    Slot,
    SlotState,
    SourceDocument,
    SourceImport,
    SourceText,
)
from epitome.schema import preset_text

LENGTHS, EXTS, SPES = ("short", "normal", "long"), ("normal", "high", "full"), ("normal", "high")
SENTENCE = "the night ferry left the harbour late because a storm had closed the outer channel for hours"
WORDS = SENTENCE.split()


def sentences(n_words: int, seed: int = 0, per_sentence: int = 20) -> list[dict[str, str]]:
    """Segments of a source: sentences that differ between sources."""
    words = [WORDS[(i * 7 + seed) % len(WORDS)] + (str(seed) if i % 50 == 0 else "") for i in range(n_words)]
    rows = [words[i : i + per_sentence] for i in range(0, n_words, per_sentence)]
    return [{"speaker": "", "text": " ".join(row) + "."} for row in rows]


def turns(n_turns: int, speakers: tuple[str, ...] = ("Ann", "Bo", "Cy")) -> list[dict[str, str]]:
    text = "Turn {} about the ferry and the storm."
    return [{"speaker": speakers[i % len(speakers)], "text": text.format(i)} for i in range(n_turns)]


def make_people(n: int, project: Project, role: Role = Role.ANNOTATOR, start: int = 1) -> list[User]:
    people = User.objects.bulk_create(
        User(username=f"{role.value}{i}", password="!", is_active=True) for i in range(start, start + n)
    )
    Membership.objects.bulk_create(Membership(user=item, project=project, role=role) for item in people)
    if role == Role.ANNOTATOR:
        pass_gate(project, *people)
    return people


def pass_gate(project: Project, *people: User) -> None:
    """Let people have read and signed the guideline in force."""
    version = project.guideline_versions.order_by("-number")[0]
    fields = {"project": project, "version": version, "statement_hash": "0", "consent": True}
    now = timezone.now()
    rows = [GuidelineReading(user=item, confirmed_at=now, **fields) for item in people]
    GuidelineReading.objects.bulk_create(rows, ignore_conflicts=True)


def make_tokens(people: list[User]) -> list[str]:
    """A write token for each, used a moment ago so that no request touches it."""
    plain = [f"ept_test{item.pk:08d}{hashlib.sha256(item.username.encode()).hexdigest()[:20]}" for item in people]
    now = timezone.now()
    ApiToken.objects.bulk_create(
        ApiToken(
            user=first,
            name="test",
            digest=hashlib.sha256(text.encode()).hexdigest(),
            scope=ApiToken.Scope.WRITE,
            expires_at=now + timedelta(days=30),
            last_used_at=now,
        )
        for first, text in zip(people, plain, strict=True)
    )
    return plain


def make_project(
    slug: str = "news",
    *,
    documents: int = 2,
    groups: int = 2,
    size: int = 2,
    overlap: int = 1,
    frozen: bool = False,
    asks: tuple[str, ...] = ("topic",),
    preset: str = "macsum-doc",
    n_words: int = 60,
    segments: list[dict[str, str]] | None = None,
    topics: int = 20,
    **settings,
) -> Project:
    """A project whose sources each have `groups` groups of `size` samples with `overlap` slots.

    With phases="two" each group has an open choosing slot and its samples' slots wait.
    """
    dialogue = preset == "macsum-dial"
    project = Project.objects.create(
        slug=slug,
        name=slug.title(),
        domain="dialogue" if dialogue else "document",
        preset=preset,
        overlap=overlap,
        **settings,
    )
    text = preset_text(preset)
    schema = SchemaVersion.objects.create(
        project=project, number=1, text=text, content_hash=hashlib.sha256(text.encode()).hexdigest()
    )
    GuidelineVersion.objects.create(project=project, number=1, text="# Guideline")
    came = SourceImport.objects.create(
        project=project, file_name="f.jsonl", file_hash="0", format="jsonl", published_at=timezone.now()
    )
    result = _documents(project, came, documents, n_words, segments, topics, dialogue)
    _samples(project, schema, result, groups, size, overlap, frozen, asks)
    return project


def _documents(project, came, count, n_words, segments, topics, dialogue):
    texts = [segments or (turns(12) if dialogue else sentences(n_words, seed)) for seed in range(count)]
    result = SourceDocument.everything.bulk_create(
        [
            SourceDocument(
                project=project,
                source_import=came,
                published=True,
                external_id=f"{project.slug}-{i}",
                origin_id=f"{project.slug}-{i}",
                position=i,
                title=f"Source {i}",
                content_hash="0",
                n_segments=len(rows),
                n_words=sum(len(row["text"].split()) for row in rows),
            )
            for i, rows in enumerate(texts)
        ],
        batch_size=500,
    )
    SourceText.objects.bulk_create(
        [
            SourceText(document=first, segments_json=json.dumps(rows, ensure_ascii=False))
            for first, rows in zip(result, texts, strict=True)
        ],
        batch_size=500,
    )
    items = []
    for first, rows in zip(result, texts, strict=True):
        items += [
            Candidate(
                document=first, kind="topic", text=f"topic {n}", rank=n, score=1 / n, mentions=n, extractor="test"
            )
            for n in range(1, topics + 1)
        ]
        if dialogue:
            names = list(dict.fromkeys(row["speaker"] for row in rows))
            items += [
                Candidate(document=first, kind="speaker", text=name, rank=n, mentions=4, words=9, extractor="test")
                for n, name in enumerate(names, 1)
            ]
    Candidate.objects.bulk_create(items, batch_size=2000)
    return result


def _samples(project, schema, documents, groups, size, overlap, frozen, asks):
    now = timezone.now()
    two = project.phases == Project.Phases.TWO
    result = Group.objects.bulk_create(
        [
            Group(
                project=project,
                document=document,
                position=n,
                asks=list(asks),
                chosen={key: ["topic 1"] if key == "topic" else ["Ann"] for key in asks} if frozen else {},
                frozen_at=now if frozen else None,
            )
            for document in documents
            for n in range(groups)
        ],
        batch_size=1000,
    )
    samples = Sample.objects.bulk_create(
        [
            Sample(
                project=project,
                document_id=group.document_id,
                group=group,
                schema_version=schema,
                position=group.position * size + n,
                values={
                    "length": LENGTHS[(i + n) % 3],
                    "extractiveness": EXTS[(i // 3) % 3],
                    "specificity": SPES[i % 2],
                },
                combination="nnn",
                sampler="test@1",
                created_at=now,
            )
            for i, group in enumerate(result)
            for n in range(size)
        ],
        batch_size=1000,
    )
    waits = two and not frozen
    slots = []
    if waits:
        slots = [
            Slot(project=project, document_id=group.document_id, group=group, sample=None, number=1) for group in result
        ]
    slots += [
        Slot(
            project=project,
            document_id=sample.document_id,
            group_id=sample.group_id,
            sample=sample,
            number=n,
            state=SlotState.WAITING if waits else SlotState.OPEN,
        )
        for sample in samples
        for n in range(1, overlap + 1)
    ]
    Slot.objects.bulk_create(slots, batch_size=1000)
    return samples


def payload_of(kind: str, text: str = "") -> dict:
    """A complete payload of a kind of task, with this text in it."""
    if kind == "aggregation":
        return {"answers": [text or "the late ferries"], "cannot": False}
    return payload(**({"summary": text} if text else {}))


def payload(**changed) -> dict:
    """A complete summary for a source of at least two segments."""
    return {
        "summary": "The ferry left late.\r\nA storm closed the channel.",
        "title": "Late ferry",
        "relevant_segments": [0, [0, 1]],
        "spans": [],
        "confirmed_segments": True,
        "reread": True,
        **changed,
    }
