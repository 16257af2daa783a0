"""Gold summaries with contrastive examples, and runs that scored them."""

import hashlib
import random
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from annotation.models import Annotation, Assignment, Claim, Contrastive, Project, Sample, Slot
from modelbridge.models import Run, RunState, SystemOutput
from modelbridge.services.runs import runs
from modelbridge.services.systems import systems


def add_gold(sample: Sample, text: str, examples: Mapping[str, Sequence[str]] | None = None) -> Annotation:
    """A gold summary with its contrastive examples, texts by rule: the first of a sample is imported, a further one is
    of an annotator of its own."""
    number = Annotation.objects.filter(sample=sample).count()
    attempt = add_attempt(sample, User.objects.create_user(f"gold-{sample.pk}-{number}")) if number else None
    gold = Annotation.objects.create(
        project_id=sample.project_id,
        sample=sample,
        assignment=attempt,
        schema_version_id=sample.schema_version_id,
        origin=Annotation.Origin.PERSON if attempt else Annotation.Origin.IMPORT,
        created_at=timezone.now(),
        payload={"summary": text, "title": "", "relevant_segments": [], "spans": []},
        idempotency_key="k" if attempt else "",
    )
    add_examples(gold, examples or {})
    return gold


def add_attempt(sample: Sample, person: User) -> Assignment:
    """An accepted attempt of a person at a slot of its own."""
    now = timezone.now()
    fields: dict[str, Any] = {"project_id": sample.project_id, "annotator": person}
    slot = Slot.objects.create(
        project_id=sample.project_id,
        document_id=sample.document_id,
        group_id=sample.group_id,
        sample=sample,
        number=50 + sample.slots.count(),
        state="filled",
    )
    claim = Claim.objects.create(
        document_id=sample.document_id, opened_at=now, lease_until=now + timedelta(1), closed_at=now, **fields
    )
    return Assignment.objects.create(
        claim=claim,
        slot=slot,
        sample=sample,
        group_id=sample.group_id,
        state="accepted",
        claimed_at=now,
        guideline_version=sample.project.guideline_version,
        assistance="full",
        **fields,
    )


def add_examples(gold: Annotation, examples: Mapping[str, Sequence[str]]) -> list[Contrastive]:
    """Contrastive examples of a gold, texts by rule."""
    return Contrastive.objects.bulk_create(
        Contrastive(
            project_id=gold.project_id,
            sample_id=gold.sample_id,
            annotation=gold,
            rule=rule,
            text=text,
            text_key=hashlib.sha256(text.lower().encode()).hexdigest(),
            edits=[],
            generator="test@1",
        )
        for rule, texts in examples.items()
        for text in texts
    )


def score_run(project: Project, score: Callable[[str], float], *, key: str = "scorer", label: str = "") -> Run:
    """A finished run over the project's contrastive examples: text -> its sum; four tokens each."""
    toml = f'[system]\nkey = "{key}"\nkind = "fake-scorer"\nname = "{key.capitalize()}"\n'
    revision = systems.register_system(project=project, toml_text=toml, by=None)
    run = runs.start_run(project=project, revision=revision, by=None, over="contrastives", label=label, queue_it=False)
    texts = {f"annotation:{gold.pk}": gold.payload["summary"] for gold in Annotation.objects.filter(project=project)}
    texts |= {f"contrastive:{row.pk}": row.text for row in Contrastive.objects.filter(project=project)}
    now = timezone.now()
    for output in run.outputs.all():
        scores: dict[str, Any] = {"texts": {}}
        for material in load_texts(run, output.sample_id):
            total = score(texts[material.origin])
            entry = {"sum": total, "mean": total / 4, "tokens": 4, "of": material.origin}
            if material.key == "gold":
                scores["gold"] = entry
            else:
                scores["texts"][material.key] = entry
        SystemOutput.objects.filter(pk=output.pk).update(state="done", finished_at=now, scores=scores)
    Run.objects.filter(pk=run.pk).update(state=RunState.DONE, finished_at=now)
    run.refresh_from_db()
    return run


def load_texts(run: Run, sample: int) -> list[Any]:
    """The materials of one sample of a run."""
    from modelbridge.services.runs.text_sets import load_materials

    return list(load_materials(run, [sample])[sample])


def damage_text(gold: str, source: str, n: int, seed: int) -> dict[str, list[str]]:
    """Up to n texts per origin, by rule: two words of the gold swapped (G-N), a word of the source put in (S-N)."""
    draw = random.Random(seed)
    words, others = gold.split(), sorted({word for word in source.split() if len(word) > 3})
    texts: dict[str, list[str]] = {"G-N": [], "S-N": []}
    seen = {gold.lower()}
    for _attempt in range(4 * n if len(words) > 1 and others else 0):
        for rule in texts:
            changed = list(words)
            first, second = draw.sample(range(len(words)), 2)
            if rule == "G-N":
                changed[first], changed[second] = words[second], words[first]
            else:
                changed[first] = draw.choice(others)
            text = " ".join(changed)
            if text.lower() not in seen and len(texts[rule]) < n:
                seen.add(text.lower())
                texts[rule].append(text)
    return texts
