"""Builds the summaries of a step from its answers, each exactly once, and ends the step."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils import timezone

from annotation.models import Annotation, AuditVerb, SampleState
from annotation.services.core import audit
from annotation.services.scores.score_jobs import start_scoring
from annotation.services.sources.reference_rows import ReferenceRows
from annotation.services.sources.references import WithReferences, store_references
from annotation.transactions import write_transaction
from epitome.construction.answers import CONCEPTUAL, EMPIRICAL, SUMMARY, needs_paraphrase
from epitome.construction.steps import FEW
from epitome.construction.summaries import (
    ABSTRACT,
    FOCUS_VALUES,
    BuiltSummary,
    Pool,
    build_compositional,
    build_length,
    build_test_pair,
    count_values,
    find_keywords,
)
from epitome.formats.records import ReferenceRecord
from epitome.schema import Attribute
from modelbridge.models import ConstructedSample, ConstructionStep, Rewrite, RunState
from modelbridge.services.construction.built_pool import load_built, name_revision
from modelbridge.services.construction.papers import list_papers
from modelbridge.services.construction.rewrite_pairs import void_dropped_samples
from modelbridge.services.construction.split_papers import split_papers

BATCH = 200
"""Papers stored at once."""


@dataclass
class StepHarvest:
    """What a step gives. left_out: reason -> how many. facts: more counts, for people."""

    summaries: list[BuiltSummary] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    facts: dict[str, Any] = field(default_factory=dict)


def finish_step(step: ConstructionStep) -> bool:
    """Build and store what a step gives, and end it, in one transaction; False where somebody else has ended it.

    What an earlier end of the same step stored stays; only what is new is added.
    """
    with write_transaction():
        locked = ConstructionStep.objects.under_way().select_for_update().filter(pk=step.pk).first()
        if locked is None or locked.rewrites.open().exists():
            return False
        harvest = HARVESTS[step.key](step)
        stored = _store_summaries(step, harvest.summaries)
        harvest.left_out["dropped"] += void_dropped_samples(step)
        harvest.left_out += Counter()  # removes the zeros
        if stored:
            start_scoring(project=step.project, by=None, automatic=True)
        has_any = bool(stored) or step.constructed.exists() or not step.rewrites.exists()
        n_active = step.constructed.filter(sample__state=SampleState.ACTIVE).count()
        result = {"stored": n_active, "left_out": dict(harvest.left_out), **harvest.facts}
        ConstructionStep.objects.filter(pk=step.pk).update(
            state=RunState.DONE if has_any else RunState.FAILED,
            finished_at=timezone.now(),
            error="" if has_any else "No call has an answer that can be used; see the reasons of the calls.",
            result=result,
        )
        audit.record_event(
            project=step.project,
            actor=step.created_by,
            verb=AuditVerb.SAMPLE_DRAW,
            target=f"construction:{step.public_id}",
            samples=stored,
        )
    step.refresh_from_db()
    return True


def _length_attribute(step: ConstructionStep) -> Attribute:
    return step.project.schema_version.schema.attribute("length")


def _done_calls(step: ConstructionStep, call: Rewrite.Call) -> list[Rewrite]:
    rows = step.rewrites.done().filter(call=call).select_related("revision__system", "base")
    return list(rows.order_by("pk"))


def _from_call(call: Rewrite, aspect: str, text: str, attributes: Mapping[str, Any], origin: str) -> BuiltSummary:
    is_rewrite = origin != ABSTRACT
    return BuiltSummary(
        key=f"{call.document_id}:{call.subject}:{aspect}",
        document=call.document_id,
        text=text,
        origin=origin,
        attributes=attributes,
        base=str(call.base.public_id) if is_rewrite and call.base is not None else "",
        rewrite=call.pk,
        aspect=aspect,
        prompt_hash=call.prompt_hash,
        revision=name_revision(call.revision),
    )


def harvest_readability(step: ConstructionStep) -> StepHarvest:
    """Of each rewritten abstract: the abstract (normal) and its rewrite (high)."""
    harvest = StepHarvest()
    for call in _done_calls(step, Rewrite.Call.READABILITY):
        key = f"{call.document_id}:abstract"
        harvest.summaries += [
            BuiltSummary(key, call.document_id, call.text, ABSTRACT, {"readability": "normal"}),
            _from_call(call, SUMMARY, str(call.texts[SUMMARY]), {"readability": "high"}, "rewrite:readability"),
        ]
    _count_failed(step, harvest)
    return harvest


def harvest_focus(step: ConstructionStep) -> StepHarvest:
    """Of each abstract: its empirical (high) and its conceptual summary (low). Where one kind of content predominates,
    the abstract itself is the summary of that kind and there is none of the other; where there is neither, none."""
    harvest = StepHarvest()
    paraphrases = {call.document_id: call for call in _done_calls(step, Rewrite.Call.PARAPHRASE)}
    kinds: Counter[str] = Counter({"both": 0, EMPIRICAL: 0, CONCEPTUAL: 0, "neither": 0})
    for identified in _done_calls(step, Rewrite.Call.IDENTIFICATION):
        present = [aspect for aspect in FOCUS_VALUES if identified.texts.get(aspect)]
        kinds[{0: "neither", 1: present[0] if present else "", 2: "both"}[len(present)]] += 1
        rewritten = needs_paraphrase(identified.texts)
        call = paraphrases.get(identified.document_id) if rewritten else identified
        if call is None:
            continue  # the second call failed and is counted so
        for aspect in present:
            text = call.texts.get(aspect) if rewritten else call.text
            if not text:
                harvest.left_out["none"] += 1
            else:
                origin = f"rewrite:{aspect}" if rewritten else ABSTRACT
                attributes = {"focus": FOCUS_VALUES[aspect]}
                harvest.summaries.append(_from_call(call, aspect, text, attributes, origin))
        harvest.left_out["none"] += 2 - len(present)
    harvest.facts["content"] = dict(kinds)
    _count_failed(step, harvest)
    return harvest


def harvest_keywords(step: ConstructionStep) -> StepHarvest:
    """Of each paper its abstract, with the keywords that occur in it."""
    harvest = StepHarvest()
    for paper in list_papers(step.project):
        keywords = find_keywords(paper.abstract, paper.keywords, exact=step.options["exact"])
        if keywords:
            key = f"{paper.document}:abstract"
            attributes = {"keywords": keywords}
            harvest.summaries.append(BuiltSummary(key, paper.document, paper.abstract, ABSTRACT, attributes))
        else:
            harvest.left_out["no keyword"] += 1
    return harvest


def harvest_length(step: ConstructionStep) -> StepHarvest:
    """Drawn from the readability and focus summaries, the same text of a paper once."""
    texts: dict[tuple[int, str], BuiltSummary] = {}
    for summary in load_built(step.project, ("readability", "focus")):
        texts.setdefault((summary.document, summary.text), summary)
    length = _length_attribute(step)
    summaries = build_length(Pool(list(texts.values())), length.bin_of, n=step.options["n"], seed=step.seed)
    bins = dict.fromkeys(length.values, 0) | count_values(summaries, "length")
    few = [value for value, n in bins.items() if n < FEW * len(summaries)]
    return StepHarvest(summaries, facts={"bins": bins, "few": few})


def harvest_splits(step: ConstructionStep) -> StepHarvest:
    """Assigns every paper to train, dev or test by its origin; papers that have a split keep it."""
    return StepHarvest(facts=split_papers(project=step.project, seed=step.seed))


def harvest_compositional(step: ConstructionStep) -> StepHarvest:
    """Train and dev: summaries of the readability and focus sets with two or three attributes. Test: focus summaries
    and their rewrites for lay readers, with all four."""
    harvest = StepHarvest()
    keywords = {paper.document: paper.keywords for paper in list_papers(step.project)}
    length_bin, exact = _length_attribute(step).bin_of, step.options["exact"]
    is_drawn = step.constructed.exists()  # a step that is resumed adds no second draw to the first
    for split in () if is_drawn else ("train", "dev"):
        harvest.summaries += build_compositional(
            Pool(load_built(step.project, ("readability", "focus"), (split,)), keywords),
            length_bin,
            n=step.options[split],
            seed=step.seed,
            purpose=f"compositional-{split}",
            keyword_share=step.options["keyword_share"],
            exact=exact,
        )
    _harvest_test_pairs(step, harvest, keywords, length_bin, exact)
    _count_failed(step, harvest)
    return harvest


def _harvest_test_pairs(
    step: ConstructionStep, harvest: StepHarvest, keywords: Mapping[int, Sequence[str]], length_bin: Any, exact: bool
) -> None:
    originals = {
        (summary.document, summary.attributes["focus"]): summary
        for summary in load_built(step.project, ("focus",), ("test",))
    }
    for call in _done_calls(step, Rewrite.Call.READABILITY):
        original = originals.get((call.document_id, FOCUS_VALUES[call.subject]))
        if original is None:
            harvest.left_out["dropped"] += 1
            continue
        rewritten = _from_call(call, SUMMARY, str(call.texts[SUMMARY]), {}, "rewrite:compositional")
        pair = build_test_pair(original, rewritten, keywords.get(call.document_id, ()), length_bin, exact=exact)
        harvest.summaries += pair
        harvest.left_out["no keyword"] += not pair


def _count_failed(step: ConstructionStep, harvest: StepHarvest) -> None:
    harvest.left_out["failed"] += step.rewrites.failed().count()


def _store_summaries(step: ConstructionStep, summaries: Sequence[BuiltSummary]) -> int:
    """Store samples with their summaries, those not stored yet; returns how many. Inside a transaction."""
    known = set(step.constructed.values_list("key", flat=True))
    by_document: dict[int, list[BuiltSummary]] = {}
    for summary in summaries:
        if summary.key not in known:
            by_document.setdefault(summary.document, []).append(summary)
    documents = sorted(by_document)
    version = step.project.schema_version
    rows = ReferenceRows(version.schema)
    for start in range(0, len(documents), BATCH):
        chunk = documents[start : start + BATCH]
        new = [summary for document in chunk for summary in by_document[document]]
        batch = [
            WithReferences(number, list(map(rows.build, _build_records(step, by_document[number])))) for number in chunk
        ]
        annotations = store_references(step.project, version, batch)
        _link_samples(step, new, annotations)
    return sum(map(len, by_document.values()))


def _build_records(step: ConstructionStep, summaries: Sequence[BuiltSummary]) -> list[ReferenceRecord]:
    return [
        ReferenceRecord(
            position=index,
            attributes=dict(summary.attributes),
            raw_attributes=dict(summary.attributes),
            summary=summary.text,
            title="",
            relevant_segments=[],
            raw_extra=describe_summary(step.key, summary),
        )
        for index, summary in enumerate(summaries)
    ]


def describe_summary(set_key: str, summary: BuiltSummary) -> dict[str, str]:
    """Where a summary comes from, as stored with its sample and exported under `raw`; what does not apply is absent."""
    description = {
        "set": set_key,
        "origin": summary.origin,
        "rewritten_from": summary.base,
        "prompt_hash": summary.prompt_hash,
        "system_revision": summary.revision,
    }
    return {name: value for name, value in description.items() if value}


def _link_samples(step: ConstructionStep, summaries: Sequence[BuiltSummary], annotations: Sequence[Annotation]) -> None:
    ConstructedSample.objects.bulk_create(
        [
            ConstructedSample(
                step=step,
                sample=annotation.sample,
                key=summary.key,
                rewrite_id=summary.rewrite or None,
                aspect=summary.aspect,
                origin=summary.origin,
            )
            for summary, annotation in zip(summaries, annotations, strict=True)
        ]
    )


HARVESTS = {
    "readability": harvest_readability,
    "focus": harvest_focus,
    "keywords": harvest_keywords,
    "length": harvest_length,
    "splits": harvest_splits,
    "compositional": harvest_compositional,
}
