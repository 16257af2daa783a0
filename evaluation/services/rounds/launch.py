"""Drafts and launch of rounds: launch copies the texts, stores items and orders, and freezes the design with hashes."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, User
from django.db import IntegrityError
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.extension_points import ExtensionPoint, qualified_name
from annotation.models import AuditVerb, Project
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict
from annotation.transactions import write_transaction
from epitome.rounds.config import RoundConfig
from epitome.rounds.plans import Lane, Plan, PlannedItem
from epitome.rounds.templates import template_text
from evaluation.models import Item, ItemText, RatingSlot, Round, RoundRater, RoundState, RoundText
from evaluation.services.rounds.aggregation_material import has_instances
from evaluation.services.rounds.contrastive_material import find_example_marks
from evaluation.services.rounds.design_check import DesignCheck, check_design, parse_config, parse_draft
from evaluation.services.rounds.frozen_judges import describe_judges
from evaluation.services.rounds.round_material import Material, reference_texts, text_hash

BATCH = 1000
Launched = Callable[[Round, AbstractBaseUser | None], int]
LAUNCHED: ExtensionPoint[Launched] = ExtensionPoint("what starts with a round", key=qualified_name)
"""Called with a round that was just launched and who did it, in the transaction of the launch; returns how much it
started."""


def make_draft(
    *,
    project: Project,
    text: str,
    by: AbstractBaseUser | None,
    name: str = "round.toml",
    templates: Mapping[str, str] | None = None,
) -> Round:
    """Store a configuration as a round that is not launched yet. Raises BadInput, Conflict for a name in use.

    templates: texts of templates in files beside the round's, by the name that the round gives.
    """
    config = parse_config(project, text, name, templates)
    try:
        with write_transaction():
            Project.objects.select_for_update().only("pk").get(pk=project.pk)
            last = Round.objects.filter(project=project).aggregate(n=Max("number"))["n"] or 0
            round_ = Round.objects.create(project=project, number=last + 1, created_by_id=by.pk if by else None,
                                        **_round_values(config, text))  # fmt: skip
            _record_audit(round_, by, AuditVerb.ROUND_DRAFT)
    except IntegrityError as error:
        raise Conflict(_("There is already a round with that name."), field="name", code="taken") from error
    return round_


def change_draft(*, round_: Round, text: str, by: AbstractBaseUser | None) -> Round:
    """Replace the configuration of a draft. Raises Conflict if the round is launched."""
    config = parse_config(round_.project, text)
    try:
        with write_transaction():
            changed = Round.objects.filter(pk=round_.pk, state=RoundState.DRAFT).update(**_round_values(config, text))
            if not changed:
                raise Conflict(_("The design cannot be changed after launch."), code="frozen")
            _record_audit(round_, by, AuditVerb.ROUND_CHANGE)
    except IntegrityError as error:
        raise Conflict(_("There is already a round with that name."), field="name", code="taken") from error
    round_.refresh_from_db()
    return round_


def drop_draft(*, round_: Round, by: AbstractBaseUser | None) -> None:
    """Remove a round that was never launched."""
    with write_transaction():
        _record_audit(round_, by, AuditVerb.ROUND_DROP)
        if not Round.objects.filter(pk=round_.pk, state=RoundState.DRAFT).delete()[0]:
            raise Conflict(_("A launched round can be closed but not deleted."), code="frozen")


def _round_values(config: RoundConfig, text: str) -> dict[str, Any]:
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


def launch_round(*, round_: Round, by: AbstractBaseUser | None) -> DesignCheck:
    """Freeze the design and open the round. Raises BadInput with the first fault, Conflict if it was launched."""
    if round_.state != RoundState.DRAFT:
        raise Conflict(_("The round has already been launched."), code="launched")
    result = check_design(round_.project, parse_draft(round_))
    if not result.can_launch:
        raise BadInput(" ".join(result.faults), field="config")
    assert result.plan is not None and result.material is not None
    with write_transaction():
        locked = Round.objects.select_for_update().get(pk=round_.pk)
        if locked.state != RoundState.DRAFT:
            raise Conflict(_("The round has already been launched."), code="launched")
        if locked.config_hash != round_.config_hash:
            raise Conflict(_("The draft was changed meanwhile. Review it again."), code="changed")
        hashes = _store_items(locked, result)
        _create_raters(locked, result.raters)
        now = timezone.now()
        Round.objects.filter(pk=locked.pk).update(
            **_round_values(result.config, locked.config_toml),
            state=RoundState.OPEN,
            launched_at=now,
            apart=result.plan.apart,
            design=json.dumps(_frozen_design(result), ensure_ascii=False),
            items_hash=result.plan.hash(hashes),
            n_items=len(result.plan.items),
            n_people_items=None if result.plan.people is None else len(result.plan.people),
            waits_for_judges=result.config.waits_for_judges,
        )
        _record_audit(locked, by, AuditVerb.ROUND_LAUNCH, items=len(result.plan.items))
        locked.refresh_from_db()
        for start in LAUNCHED:
            start(locked, by)
    round_.refresh_from_db()
    return result


def _frozen_design(result: DesignCheck) -> dict[str, Any]:
    """The part of the frozen design that is stored in addition to the configuration."""
    assert result.material is not None and result.plan is not None
    judges = {"judges": describe_judges(result.judges)} if result.judges else {}
    sources = {"sources": list(result.plan.sources)} if result.plan.sources else {}
    return {
        **judges,
        **sources,
        "algorithm": result.config.algorithm,
        "template": result.config.template_toml or template_text(result.config.template),
        "targets": [loaded.told for loaded in result.material.targets.values()],
        "domains": list(result.material.domains),
        "apart": result.plan.apart,
        "check": {key: value for key, value in result.as_dict().items() if key not in ("raters", "can_launch")},
    }


def _store_items(round_: Round, result: DesignCheck) -> dict[tuple[str, str], str]:
    """Store texts, items and slots; return the hash of each text by (target, sample)."""
    assert result.material is not None and result.plan is not None
    material, items = result.material, result.plan.items
    material.load_texts(
        (planned_text.target, planned_text.sample) for planned_item in items for planned_text in planned_item.texts
    )
    texts = {
        (planned_text.target, planned_text.sample): material.text(planned_text.target, planned_text.sample)
        for planned_item in items
        for planned_text in planned_item.texts
    }
    references = reference_texts(material, (planned_item.sample for planned_item in items))
    stored = _store_texts(round_, [*texts.values(), *references.values()])
    hashes = {key: text_hash(text) for key, text in texts.items()}
    rows = [
        _build_item(
            round_,
            index,
            planned_item,
            material,
            [stored[hashes[planned_text.target, planned_text.sample]] for planned_text in planned_item.texts],
        )
        for index, planned_item in enumerate(items)
    ]
    for row, planned_item in zip(rows, items, strict=True):
        reference = references.get(planned_item.sample)
        row.reference_id = stored[text_hash(reference)] if reference is not None else None
    _mark_changes(rows, items, material)
    _mark_for_people(rows, result.plan, waits=result.config.waits_for_judges)
    real = [row for row, planned_item in zip(rows, items, strict=True) if planned_item.repeats is None]
    Item.objects.bulk_create(real, batch_size=BATCH)
    repeated = [
        (row, planned_item) for row, planned_item in zip(rows, items, strict=True) if planned_item.repeats is not None
    ]
    for row, planned_item in repeated:
        row.repeats = rows[planned_item.repeats or 0]
    Item.objects.bulk_create([row for row, _planned in repeated], batch_size=BATCH)
    _store_more_texts(rows, items, {key: stored[content] for key, content in hashes.items()})
    store_slots(round_, result.plan.lanes, rows)
    return hashes


def _mark_for_people(rows: Sequence[Item], plan: Plan, *, waits: bool) -> None:
    """Freeze which items people see, and the chance with which each real one was drawn. waits: chosen later."""
    people_places = None if plan.people is None else frozenset(plan.people)
    for index, row in enumerate(rows):
        is_real = row.counts
        row.for_people = not waits and (people_places is None or index in people_places)
        row.chance = (None if waits else plan.chance) if is_real else 1.0


def _mark_changes(rows: Sequence[Item], items: Sequence[PlannedItem], material: Material) -> None:
    """Freeze which words of contrastive examples are marked, where the template marks them."""
    if "mark" not in material.config.round_template.shows:
        return
    keys = {planned_item.sample for planned_item in items}
    found_marks = find_example_marks({key: example for key, example in material.examples.items() if key in keys})
    for row, planned_item in zip(rows, items, strict=True):
        row.marks = found_marks[planned_item.sample]


def _store_more_texts(
    rows: Sequence[Item], items: Sequence[PlannedItem], text_ids: Mapping[tuple[str, str], int]
) -> None:
    """Store the third text of every list and those after it. text_ids: of each text by (target, sample)."""
    ItemText.objects.bulk_create(
        (
            ItemText(item=row, number=number, text_id=text_ids[planned_text.target, planned_text.sample])
            for row, planned_item in zip(rows, items, strict=True)
            for number, planned_text in enumerate(planned_item.texts, 1)
            if number > 2
        ),
        batch_size=BATCH,
    )


def _store_texts(round_: Round, texts: Sequence[str]) -> dict[str, int]:
    by_hash = {text_hash(text): text for text in texts}
    RoundText.objects.bulk_create(
        [RoundText(round=round_, content_hash=key, text=text) for key, text in sorted(by_hash.items())],
        batch_size=BATCH,
    )
    return dict(RoundText.objects.filter(round=round_).values_list("content_hash", "pk"))


def _build_item(round_: Round, number: int, planned_item: Any, material: Material, texts: list[int]) -> Item:
    row = material.samples[planned_item.sample]
    return Item(
        round=round_,
        number=number,
        kind=planned_item.kind,
        document_id=row.document_id,
        sample_id=row.pk,
        domain=planned_item.domain,
        request=dict(planned_item.request),
        targets=[
            _describe_target(material, planned_text.target, planned_text.sample) for planned_text in planned_item.texts
        ],
        first_id=texts[0],
        second_id=texts[1] if len(texts) > 1 else None,
        questions=list(planned_item.questions),
        expected=dict(planned_item.expected),
        labelled=planned_item.labelled,
    )


def _describe_target(material: Material, target: str, sample: str) -> dict[str, Any]:
    loaded = material.targets[target]
    description = {"target": target, "sample": sample, "row": loaded.rows[sample], "kind": loaded.target.kind}
    if loaded.target.is_gold and has_instances(material.project):
        description["annotation"] = loaded.rows[sample]
    example = material.examples.get(sample)
    return description if example is None else description | {"rule": example.rule, "annotation": example.annotation}


def store_slots(round_: Round, lanes: Sequence[Lane], rows: Sequence[Item]) -> None:
    """Store one slot for every rating of every item in the lanes. rows: all items of the round by number."""
    RatingSlot.objects.bulk_create(
        (
            RatingSlot(
                round=round_,
                item=rows[item],
                document_id=rows[item].document_id,
                repeats_id=rows[item].repeats_id,
                number=number,
                place=index,
                left=lane.left[item],
            )
            for number, lane in enumerate(lanes, 1)
            for index, item in enumerate(lane.order)
        ),
        batch_size=BATCH,
    )


def _create_raters(round_: Round, people: Sequence[User]) -> None:
    """Assign lanes in turn: with as many raters as ratings per item, each rater has their own lane."""
    now = timezone.now()
    RoundRater.objects.bulk_create(
        RoundRater(round=round_, rater=person, lane=1 + index % round_.raters_per_item, joined_at=now)
        for index, person in enumerate(people)
    )


def _record_audit(round_: Round, by: AbstractBaseUser | None, verb: AuditVerb, **detail: Any) -> None:
    audit.record_event(project=round_.project, actor=by, verb=verb, target=f"round:{round_.public_id}", **detail)
