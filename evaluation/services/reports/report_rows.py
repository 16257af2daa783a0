"""Convert the answers of a round from database rows to the plain dataclasses of `epitome.reports`."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Max
from django.utils.translation import gettext as _

from annotation.claiming import SlotState
from annotation.models import ConsentAgreement
from annotation.services.core.pseudonyms import Pseudonyms
from epitome.reports.answers import Answer, Frame, ReportQuestion
from epitome.reports.subjects import list_name
from epitome.rounds.templates import METADATA
from epitome.schema import Schema
from evaluation.models import Item, MachineJudgement, Round, RoundRater, SourceClearance
from evaluation.services.monitoring import rater_quality
from evaluation.services.rating.judge_values import judge_name
from evaluation.services.rating.outside_raters import OutsideRater, list_outside_raters
from evaluation.services.reports import judgements
from evaluation.services.reports.example_counts import count_examples
from evaluation.services.rounds.round_pay import describe_pay

SHOWN_LABELS = {
    "source": "the source",
    "request": "the requested attributes",
    "reference": "a reference",
    "mark": "the changed words marked",
    "entities": "the entities with their backgrounds",
    "context": "the sentences that mention them",
}


def load_answers(round_: Round, item: str = "", *, extra: bool = False) -> list[Answer]:
    """Load all answers to finished items with system names, including foils and repeats. item: limit to the item with
    this public id. extra: also those that were requested because the planned ones disagree, for no figure."""
    options = judgements.ExportOptions(quality=True, excluded=True, systems=True, item=item, extra=extra)
    items = _load_items(round_, item)
    lines = judgements.export_lines(round_, options)
    return [_build_answer(line, items[line["item_id"].partition(":")[0]]) for line in lines]


def load_machine_answers(round_: Round) -> list[Answer]:
    """Load the answers of models; answers with the texts of a pair exchanged count as repeats of the item."""
    joined = ("item__document", "item__sample", "item__first", "revision__system")
    rows = MachineJudgement.objects.filter(round=round_).select_related(*joined).order_by("item__number", "pk")
    return [_build_machine_answer(round_, row) for row in rows]


def _build_machine_answer(round_: Round, row: MachineJudgement) -> Answer:
    item, question = row.item, round_.rules.question(row.question)
    place = {"a": 1, "b": 2}.get(question.about, 0)
    systems = [target["target"] for target in item.targets]
    judged_systems = [systems[place - 1]] if place else systems
    external = item.document.external_id
    return Answer(
        item=f"{item.public_id}:{place}" if place else str(item.public_id),
        rater=judge_name(row.revision),
        question=question.shared_key,
        answer=row.full_answer,
        text=item.first.text if question.asks.marks else "",
        unaligned=row.n_unaligned,
        system=judged_systems[0],
        other=judged_systems[1] if len(judged_systems) > 1 else "",
        domain=item.domain,
        source=external,
        sample=f"{external}#{item.sample.position}",
        requested=_request_text(item.request.get(question.attribute)),
        quality="repeat" if row.swapped else "",
    )


def _load_items(round_: Round, item: str) -> dict[str, Mapping[str, Any]]:
    """Public id -> item columns that a judgement line does not contain."""
    marked = any(question.asks.marks for question in round_.rules.questions)
    texts = ("first__text",) if marked else ()
    fields = ("public_id", "kind", "expected", "labelled", "repeats__public_id", "targets", *texts)
    rows = Item.objects.filter(round=round_, **({"public_id": item} if item else {})).values(*fields)
    return {str(row["public_id"]): row for row in rows}


def _build_answer(line: Mapping[str, Any], item: Mapping[str, Any]) -> Answer:
    place = line["item_id"].partition(":")[2]
    systems = line.get("systems") or [line["system"]]
    shows_list = len(systems) > 2
    question = line["question"]
    real, repeats = item["kind"] == Item.Kind.REAL, item["repeats__public_id"]
    expected = item["expected"].get(question, "")
    if real and len(systems) == 2 and item["labelled"]:
        expected = str(item["labelled"])
    return Answer(
        item=line["item_id"],
        rater=line["rater"],
        question=question,
        answer=line["answer"],
        system=list_name(systems) if shows_list else systems[0],
        other=systems[1] if len(systems) == 2 else "",
        systems=tuple(systems) if shows_list else (),
        domain=line["domain"],
        source=line["source_id"],
        sample=line["sample_id"],
        requested=_request_text(line.get("requested")),
        quality="" if real else "repeat" if item["kind"] == Item.Kind.REPEAT else "foil",
        expected=expected,
        repeats=f"{repeats}:{place}" if repeats and place else str(repeats or ""),
        unsure=line["unsure"],
        seconds=line["seconds"],
        position=line["order"],
        left=line.get("left", 0),
        rule=item["targets"][0].get("rule", ""),
        text=item["first__text"] if "marks" in line else "",
        extra=line.get("extra", False),
    )


def _request_text(value: object) -> str:
    return value if isinstance(value, str) else ", ".join(map(str, value)) if isinstance(value, list) else ""


def build_frame(round_: Round, answers: list[Answer], *, replicates: int = 1000) -> Frame:
    """Build the frame of the report from the frozen design."""
    raters, excluded = list_raters(round_)
    outside_raters, pseudonyms = list_outside_raters(round_), Pseudonyms(round_.project)
    schema = round_.project.schema_version.schema
    domains = list(dict.fromkeys(row.domain for row in answers))
    return Frame(
        name=round_.name,
        systems=tuple(target.key for target in round_.rules.targets),
        questions=_build_questions(round_, schema),
        raters=raters,
        excluded=excluded,
        outside=tuple(pseudonyms.of(rater.user_id) or "" for rater in outside_raters),
        judges=tuple(dict.fromkeys(row.rater for row in answers if row.rater not in (*raters, *excluded))),
        domains=tuple((key, _domain_name(key)) for key in domains),
        replicates=replicates,
        seed=round_.seed,
        facts=_design_facts(round_, answers, len(raters) - len(outside_raters), len(excluded), schema)
        | _outside_facts(outside_raters),
    )


def _outside_facts(outside_raters: Sequence[OutsideRater]) -> dict[str, object]:
    if not outside_raters:
        return {}
    ratings, tools = sum(rater.items for rater in outside_raters), {rater.tool for rater in outside_raters}
    return {"outside": {"raters": len(outside_raters), "ratings": ratings, "tools": sorted(tools)}}


def list_raters(round_: Round) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Pseudonyms in the order of joining: (included raters, raters excluded by the rules)."""
    pseudonyms, excluded = Pseudonyms(round_.project), rater_quality.excluded_raters(round_)
    rows = RoundRater.objects.filter(round=round_, void=False).order_by("pk").values_list("rater_id", flat=True)
    flagged_names = [(rater in excluded, pseudonyms.of(rater) or "") for rater in rows]
    return tuple(name for left_out, name in flagged_names if not left_out), tuple(
        name for left_out, name in flagged_names if left_out
    )


def _build_questions(round_: Round, schema: Schema) -> tuple[ReportQuestion, ...]:
    questions: dict[str, ReportQuestion] = {}
    for question in round_.rules.questions:
        attribute = schema.find(question.attribute) if question.attribute else None
        values = question.values or (attribute.values if attribute else ())
        label = attribute.label if attribute else _label_from_key(question.shared_key)
        code = attribute.code if attribute else label
        report_question = ReportQuestion(
            question.shared_key,
            label,
            code,
            question.type,
            question.attribute,
            tuple(values),
            question.text,
            question.why,
            question.severities,
            question.omission,
        )
        questions.setdefault(report_question.key, report_question)
    return tuple(questions.values())


def _label_from_key(key: str) -> str:
    return key.replace("-", " ").capitalize()


def _domain_name(key: str) -> str:
    return {"document": _("Documents"), "dialogue": _("Dialogues")}.get(key, key)


def _design_facts(
    round_: Round, answers: list[Answer], raters: int, excluded: int, schema: Schema
) -> dict[str, object]:
    rules, design = round_.rules, json.loads(round_.design)
    asked_attributes = {question.attribute for question in rules.questions}
    real: dict[tuple[str, str], set[str]] = {(row.system, row.domain): set() for row in answers}
    for row in answers:
        if not row.quality:
            real[row.system, row.domain].add(row.sample)
    return {
        "protocol": round_.template,
        "samples": max(map(len, real.values()), default=0),
        "same_samples": rules.selection.draw == "same",
        "raters": raters + excluded,
        "raters_per_item": round_.raters_per_item,
        "cleared": SourceClearance.objects.filter(round=round_).count(),
        "pairs_by": rules.pairs.by if rules.form == "pair" else "",
        "asked": sorted({row.question for row in answers if not row.quality}),
        "apart": design.get("apart", round_.apart),
        "shown": _join_words([_shown_label(key) for key in round_.instructions.shows]),
        "texts": rules.n_texts,
        "pay": describe_pay(round_),
        "items_per_person": round_.raters.aggregate(most=Max("max_items"))["most"],
        "consent": ConsentAgreement.objects.filter(worker__link__round_link__round=round_).exists(),
        "foils": rules.quality.foils,
        "repeats": rules.quality.repeats,
        "excluded": excluded,
        "extra_ratings": round_.slots.filter(extra=True, state=SlotState.FILLED).count(),
        "examples": count_examples(round_),
        "design_seed": round_.seed,
        "items_hash": round_.items_hash,
        "chosen": rules.selection.for_people.choice == "active",
        "looks": rules.stopping.looks,
        "counted": [
            attribute.label
            for attribute in schema.attributes
            if attribute.measure == "length" and attribute.key not in asked_attributes
        ],
    }


def _shown_label(key: str) -> str:
    return SHOWN_LABELS.get(key) or f"the source's {key.removeprefix(METADATA).replace('_', ' ')}"


def _join_words(words: list[str]) -> str:
    return " and ".join(words) if len(words) < 3 else f"{', '.join(words[:-1])} and {words[-1]}"
