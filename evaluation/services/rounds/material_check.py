"""Checks of what a round would show: references, metadata, entities."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import AggregationInstance, SourceDocument
from annotation.services.core.word_patterns import join_names
from epitome.rounds.config import RoundConfig
from epitome.rounds.plans import Plan, questions_for
from evaluation.services.rounds.aggregation_material import shows_instance
from evaluation.services.rounds.round_material import (
    Material,
    metadata_fields,
    metadata_text,
    reference_texts,
    text_hash,
)

MAX_LISTED = 20


def check_reference(config: RoundConfig, plan: Plan, material: Material, faults: list[str]) -> None:
    """Report shown references that are missing or identical to a judged text."""
    if not config.reference:
        return
    references = reference_texts(material, (item.sample for item in plan.items))
    lacking = sorted({item.sample for item in plan.items if item.sample not in references})
    same = [
        item.sample
        for item in plan.items
        if item.sample in references
        and text_hash(references[item.sample])
        in {text_hash(material.text(text.target, text.sample)) for text in item.texts}
    ]
    if lacking:
        faults.append(_("There is no reference for: %(samples)s.") % {"samples": list_names(lacking)})
    if same:
        faults.append(_("The reference shown is one of the rated texts: %(samples)s.") % {"samples": list_names(same)})


def list_unasked(config: RoundConfig, material: Material) -> list[str]:
    """Say how many samples with a text of a target ask for nothing that the round asks about; [] for none."""
    candidates = {candidate.key: candidate for pool in material.pools.values() for candidate in pool}
    n_unasked = sum(not questions_for(config, candidate.request) for candidate in candidates.values())
    if not n_unasked:
        return []
    text = ngettext(
        "%(n)d of %(all)d sample asks for nothing that this round asks about, so it cannot be selected.",
        "%(n)d of %(all)d samples ask for nothing that this round asks about, so they cannot be selected.",
        len(candidates),
    )
    return [text % {"n": n_unasked, "all": len(candidates)}]


def check_questions(plan: Plan, faults: list[str]) -> None:
    """Refuse items that raters would see without any question."""
    items = [item for item in plan.items if item.is_real]
    samples = sorted({item.sample for item in items if not item.questions})
    if not samples:
        return
    n_without = sum(not item.questions for item in items)
    text = ngettext(
        "%(n)d of %(all)d items has no question: %(samples)s.",
        "%(n)d of %(all)d items have no question: %(samples)s.",
        n_without,
    )
    faults.append(text % {"n": n_without, "all": len(items), "samples": list_names(samples)})


def check_metadata(config: RoundConfig, plan: Plan, material: Material, warnings: list[str]) -> None:
    """Warn of sources that lack a field of the metadata that raters are shown."""
    fields = metadata_fields(config.round_template.shows)
    if not fields:
        return
    names = {material.samples[item.sample].document_id: item.source for item in plan.items}
    documents = SourceDocument.objects.filter(pk__in=names)
    for field_name in fields:
        lacking = sorted(names[document.pk] for document in documents if not metadata_text(document, field_name))
        if lacking:
            values = {"field": field_name, "sources": list_names(lacking)}
            warnings.append(_("No %(field)s in the metadata of: %(sources)s.") % values)


def check_instances(config: RoundConfig, plan: Plan, material: Material, faults: list[str]) -> None:
    """Report samples without entities where raters are shown such."""
    if not shows_instance(config.round_template.shows):
        return
    keys = {material.samples[item.sample].pk: item.sample for item in plan.items}
    having = set(AggregationInstance.objects.filter(sample__in=keys).values_list("sample_id", flat=True))
    lacking = sorted(key for pk, key in keys.items() if pk not in having)
    if lacking:
        message = _("The template shows entities, which these samples do not have: %(samples)s.")
        faults.append(message % {"samples": list_names(lacking)})


def list_names(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    listed, more = join_names(names[:MAX_LISTED]), len(names) - MAX_LISTED
    if more <= 0:
        return listed
    return ngettext("%(names)s and %(n)d more", "%(names)s and %(n)d more", more) % {"names": listed, "n": more}
