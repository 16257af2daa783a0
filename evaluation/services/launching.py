"""From a draft to an open round: texts copied by content, items and orders stored, the design frozen with hashes."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, User
from django.db import IntegrityError
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services import audit
from annotation.services.errors import BadInput, Conflict
from annotation.transactions import write
from evaluation.models import Item, RatingSlot, Round, RoundRater, RoundState, RoundText
from evaluation.rounds.config import RoundConfig
from evaluation.rounds.protocols import protocol_text
from evaluation.services.checking import Check, check, parsed
from evaluation.services.targets import Material, reference_of, text_hash

BATCH = 1000


def make_draft(*, project: Project, text: str, by: AbstractBaseUser | None, name: str = "round.toml") -> Round:
    """Store a configuration as a round that is not launched yet. Raises BadInput, Conflict for a name in use."""
    config = parsed(project, text, name)
    try:
        with write():
            Project.objects.select_for_update().only("pk").get(pk=project.pk)
            last = Round.objects.filter(project=project).aggregate(n=Max("number"))["n"] or 0
            made = Round.objects.create(project=project, number=last + 1, created_by_id=by.pk if by else None,
                                        **_values(config, text))  # fmt: skip
            _audit(made, by, "round.draft")
    except IntegrityError as error:
        raise Conflict(_("There is a round of that name already."), field="name", code="taken") from error
    return made


def change_draft(*, round_: Round, text: str, by: AbstractBaseUser | None) -> Round:
    """Another configuration for a round that is not launched. Raises Conflict once it is."""
    config = parsed(round_.project, text)
    try:
        with write():
            changed = Round.objects.filter(pk=round_.pk, state=RoundState.DRAFT).update(**_values(config, text))
            if not changed:
                raise Conflict(_("The design is frozen since the round was launched."), code="frozen")
            _audit(round_, by, "round.change")
    except IntegrityError as error:
        raise Conflict(_("There is a round of that name already."), field="name", code="taken") from error
    round_.refresh_from_db()
    return round_


def drop_draft(*, round_: Round, by: AbstractBaseUser | None) -> None:
    """Remove a round that was never launched."""
    with write():
        _audit(round_, by, "round.drop")
        if not Round.objects.filter(pk=round_.pk, state=RoundState.DRAFT).delete()[0]:
            raise Conflict(_("A round that was launched is closed, not removed."), code="frozen")


def _values(config: RoundConfig, text: str) -> dict[str, Any]:
    return {
        "name": config.name,
        "shown_as": config.shown_as,
        "template": config.template,
        "form": config.form,
        "config_toml": text,
        "config": config.as_dict(),
        "config_hash": hashlib.sha256(text.encode()).hexdigest(),
        "seed": config.seed,
        "raters_per_item": config.raters_per_item,
    }


def launch(*, round_: Round, by: AbstractBaseUser | None) -> Check:
    """Freeze the design and open the round. Raises BadInput with the first fault, Conflict if it was launched."""
    if round_.state != RoundState.DRAFT:
        raise Conflict(_("The round was launched already."), code="launched")
    found = check(round_.project, round_.rules)
    if not found.can_launch:
        raise BadInput(" ".join(found.faults), field="config")
    assert found.plan is not None and found.material is not None
    with write():
        held = Round.objects.select_for_update().get(pk=round_.pk)
        if held.state != RoundState.DRAFT:
            raise Conflict(_("The round was launched already."), code="launched")
        hashes = _store(held, found)
        _raters(held, found.raters)
        now = timezone.now()
        Round.objects.filter(pk=held.pk).update(
            state=RoundState.OPEN,
            launched_at=now,
            apart=found.plan.apart,
            design=json.dumps(_design(found), ensure_ascii=False),
            items_hash=found.plan.hash(hashes),
            n_items=len(found.plan.items),
        )
        _audit(held, by, "round.launch", items=len(found.plan.items))
    round_.refresh_from_db()
    return found


def _design(found: Check) -> dict[str, Any]:
    """What the frozen design says beside the configuration."""
    assert found.material is not None and found.plan is not None
    return {
        "algorithm": found.config.algorithm,
        "template": protocol_text(found.config.template),
        "targets": [loaded.told for loaded in found.material.targets.values()],
        "domains": list(found.material.domains),
        "apart": found.plan.apart,
        "check": {key: value for key, value in found.as_dict().items() if key not in ("raters", "can_launch")},
    }


def _store(round_: Round, found: Check) -> dict[tuple[str, str], str]:
    """Texts, items and slots; returns the hash of each text by (target, sample)."""
    assert found.material is not None and found.plan is not None
    material, items = found.material, found.plan.items
    material.load_texts((each.target, each.sample) for one in items for each in one.texts)
    texts = {(each.target, each.sample): material.text(each.target, each.sample) for one in items for each in one.texts}
    references = {one.sample: reference_of(material, one.sample) for one in items} if found.config.reference else {}
    stored = _texts(round_, [*texts.values(), *(text for text in references.values() if text is not None)])
    hashes = {key: text_hash(text) for key, text in texts.items()}
    rows = [
        _item(round_, number, one, material, [stored[hashes[each.target, each.sample]] for each in one.texts])
        for number, one in enumerate(items)
    ]
    for row, one in zip(rows, items, strict=True):
        told = references.get(one.sample)
        row.reference_id = stored[text_hash(told)] if told is not None else None
    real = [row for row, one in zip(rows, items, strict=True) if one.repeats is None]
    Item.objects.bulk_create(real, batch_size=BATCH)
    again = [(row, one) for row, one in zip(rows, items, strict=True) if one.repeats is not None]
    for row, one in again:
        row.repeats = rows[one.repeats or 0]
    Item.objects.bulk_create([row for row, _one in again], batch_size=BATCH)
    _slots(round_, found, rows)
    return hashes


def _texts(round_: Round, texts: Sequence[str]) -> dict[str, int]:
    by_hash = {text_hash(text): text for text in texts}
    RoundText.objects.bulk_create(
        [RoundText(round=round_, content_hash=key, text=text) for key, text in sorted(by_hash.items())],
        batch_size=BATCH,
    )
    return dict(RoundText.objects.filter(round=round_).values_list("content_hash", "pk"))


def _item(round_: Round, number: int, one: Any, material: Material, texts: list[int]) -> Item:
    row = material.samples[one.sample]
    return Item(
        round=round_,
        number=number,
        kind=one.kind,
        document_id=row.document_id,
        sample_id=row.pk,
        domain=one.domain,
        request=dict(one.request),
        targets=[_target(material, each.target, each.sample) for each in one.texts],
        first_id=texts[0],
        second_id=texts[1] if len(texts) > 1 else None,
        questions=list(one.questions),
        expected=dict(one.expected),
        labelled=one.labelled,
    )


def _target(material: Material, target: str, sample: str) -> dict[str, Any]:
    loaded = material.targets[target]
    return {"target": target, "sample": sample, "row": loaded.rows[sample], "kind": loaded.target.kind}


def _slots(round_: Round, found: Check, rows: list[Item]) -> None:
    assert found.plan is not None
    RatingSlot.objects.bulk_create(
        (
            RatingSlot(
                round=round_,
                item=rows[item],
                document_id=rows[item].document_id,
                repeats_id=rows[item].repeats_id,
                number=number,
                place=place,
                left=lane.left[item],
            )
            for number, lane in enumerate(found.plan.lanes, 1)
            for place, item in enumerate(lane.order)
        ),
        batch_size=BATCH,
    )


def _raters(round_: Round, people: Sequence[User]) -> None:
    """Lanes are dealt out in turn: where there are as many raters as ratings, everybody has an order of their own."""
    now = timezone.now()
    RoundRater.objects.bulk_create(
        RoundRater(round=round_, rater=one, lane=1 + place % round_.raters_per_item, joined_at=now)
        for place, one in enumerate(people)
    )


def _audit(round_: Round, by: AbstractBaseUser | None, verb: str, **detail: Any) -> None:
    audit.record(project=round_.project, actor=by, verb=verb, target=f"round:{round_.public_id}", **detail)
