"""Tables 1 and 2 of CCSBench for a project that was constructed or imported, for its construction page."""

import hashlib
from typing import Any

from django.core.cache import cache
from django.db.models import Count, Max
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.figures.tables import Table
from annotation.models import Project
from evaluation.reports.construction import RewrittenTexts, SizeCount, sizes_table, validation_table
from modelbridge.models import ConstructionStep, Rewrite, RewriteVerdict
from modelbridge.services.construction.rewrite_pairs import list_pairs, rewriting_calls
from modelbridge.services.construction.set_tables import CONSTRUCTION_TABLES, count_sets

CACHE_SECONDS = 24 * 3600
VALIDATED = ("readability", "focus")


@CONSTRUCTION_TABLES.register
def build_sizes_table(project: Project) -> Table:
    """Table 1: summaries and documents of each set and split."""
    counts = {place: SizeCount(*count) for place, count in count_sets(project).items()}
    return sizes_table(counts, title=_("Sizes of the sets"))


@CONSTRUCTION_TABLES.register
def build_validation_table(project: Project) -> Table:
    """Table 2: rewrites beside their abstracts. Dropped ones do not count. Cached until another rewrite or verdict."""
    key = _state_key(project)
    stored: dict[str, Any] | None = cache.get(key)
    if stored is not None:
        return Table.from_json(stored)
    table = _compute_validation_table(project)
    cache.set(key, table.as_json(), CACHE_SECONDS)
    return table


def _state_key(project: Project) -> str:
    calls = Rewrite.objects.filter(project=project).done().aggregate(n=Count("pk"), last=Max("finished_at"))
    verdicts = RewriteVerdict.objects.filter(rewrite__project=project)
    judged = verdicts.aggregate(n=Count("pk"), last=Max("judged_at"))
    state = f"{get_language()} {sorted(calls.items())} {sorted(judged.items())}"
    return f"construction:{project.pk}:{hashlib.sha256(state.encode()).hexdigest()}"


def _compute_validation_table(project: Project) -> Table:
    steps = ConstructionStep.objects.filter(project=project, key__in=VALIDATED)
    sets = {step.key: _collect_texts(step) for step in steps}
    return validation_table(sets, title=_("Validation of the data"))


def _collect_texts(step: ConstructionStep) -> RewrittenTexts:
    calls = list(rewriting_calls(step).order_by("pk"))
    pairs = [pair for pair in list_pairs(calls) if pair.verdict != RewriteVerdict.Verdict.DROP]
    identified = step.rewrites.done().filter(call=Rewrite.Call.IDENTIFICATION).values_list("texts", flat=True)
    answers = list(identified)
    missing = sum(not text for texts in answers for text in texts.values())
    return RewrittenTexts(
        originals=[pair.original for pair in pairs],
        rewrites=[pair.text for pair in pairs],
        abstracts=len(answers),
        none=missing if answers else None,
    )
