"""Rewrites beside the texts they come from, for acceptance by a person: pairs to look at, and verdicts on them."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import AuditVerb, Project, Sample, SampleState
from annotation.services.core import audit
from annotation.services.core.errors import BadInput
from annotation.transactions import write_transaction
from epitome.construction.answers import CONCEPTUAL, EMPIRICAL, SUMMARY
from epitome.text.diff import Piece, diff_words
from modelbridge.models import ConstructionStep, Rewrite, RewriteVerdict

PAIRS_SHOWN = 20
REWRITING = (Rewrite.Call.READABILITY, Rewrite.Call.PARAPHRASE)
ASPECTS = (SUMMARY, EMPIRICAL, CONCEPTUAL)
REWRITTEN_AGAIN = "rewrite:compositional"
"""Origin of a summary that was rewritten from another rewrite."""


@dataclass(frozen=True)
class RewritePair:
    """One text of a rewrite. verdict: accept, drop, or "" while nobody has judged it."""

    rewrite: Rewrite
    aspect: str
    text: str
    verdict: str

    @property
    def original(self) -> str:
        return self.rewrite.text

    @property
    def pieces(self) -> list[Piece]:
        """What changed, by words."""
        return diff_words(self.rewrite.text, self.text)


def rewriting_calls(step: ConstructionStep) -> "QuerySet[Rewrite]":
    """The calls of a step whose answers are texts of the benchmark."""
    return step.rewrites.done().filter(call__in=REWRITING)


def list_pairs(calls: Sequence[Rewrite]) -> list[RewritePair]:
    """Every text that these calls returned, in order."""
    verdicts = {
        (rewrite, aspect): verdict
        for rewrite, aspect, verdict in RewriteVerdict.objects.filter(rewrite__in=calls).values_list(
            "rewrite_id", "aspect", "verdict"
        )
    }
    return [
        RewritePair(call, aspect, text, verdicts.get((call.pk, aspect), ""))
        for call in calls
        for aspect in ASPECTS
        if (text := call.texts.get(aspect))
    ]


def draw_pairs(step: ConstructionStep, seed: int) -> list[RewritePair]:
    """Pairs of as many random calls as a page shows, drawn with a seed from those answered so far."""
    ids = list(rewriting_calls(step).order_by("pk").values_list("pk", flat=True))
    drawn = random.Random(f"{step.pk}:{seed}").sample(ids, min(PAIRS_SHOWN, len(ids)))
    calls = Rewrite.objects.select_related("document").in_bulk(drawn)
    return list_pairs([calls[pk] for pk in drawn])[:PAIRS_SHOWN]


def count_verdicts(step: ConstructionStep) -> dict[str, int]:
    """Verdict -> how many texts of the step have it."""
    verdicts = list(RewriteVerdict.objects.filter(rewrite__step=step).values_list("verdict", flat=True))
    return {verdict: verdicts.count(verdict) for verdict in RewriteVerdict.Verdict.values}


def lock_steps(project: Project) -> None:
    """Wait for a step that is storing its summaries, so that a verdict finds them; call inside a transaction."""
    list(ConstructionStep.objects.select_for_update().filter(project=project).order_by("pk").values_list("pk"))


def judge_rewrite(*, rewrite: Rewrite, aspect: str, verdict: str, by: AbstractBaseUser | None) -> RewriteVerdict:
    """Accept or drop one text of a rewrite; the last verdict counts. A dropped text leaves every set that has it, and
    so does what was rewritten from it; an accepted one comes back. Raises BadInput: no such text or verdict."""
    if rewrite.call not in REWRITING or not rewrite.texts.get(aspect):
        raise BadInput(_("This rewrite has no such text."), field="aspect", code="aspect")
    if verdict not in RewriteVerdict.Verdict.values:
        raise BadInput(_("Choose accept or drop."), field="verdict", code="verdict")
    with write_transaction():
        lock_steps(rewrite.project)
        stored, _is_new = RewriteVerdict.objects.update_or_create(
            rewrite=rewrite,
            aspect=aspect,
            defaults={"verdict": verdict, "judged_by_id": by.pk if by else None, "judged_at": timezone.now()},
        )
        _apply_verdict(rewrite, aspect, verdict)
        audit.record_event(
            project=rewrite.project,
            actor=by,
            verb=AuditVerb.REWRITE_JUDGE,
            target=f"rewrite:{rewrite.public_id}",
            aspect=aspect,
            verdict=verdict,
        )
    return stored


def _apply_verdict(rewrite: Rewrite, aspect: str, verdict: str) -> None:
    samples = Sample.objects.filter(constructed__rewrite=rewrite, constructed__aspect=aspect)
    derived = Sample.objects.filter(
        constructed__rewrite__base__sample__in=samples.values("pk"),
        constructed__aspect=SUMMARY,
        constructed__origin=REWRITTEN_AGAIN,
    )
    if verdict == RewriteVerdict.Verdict.DROP:
        Sample.objects.filter(Q(pk__in=samples.values("pk")) | Q(pk__in=derived.values("pk"))).update(
            state=SampleState.VOID
        )
    else:
        own_drops = _dropped_verdicts().filter(rewrite=OuterRef("constructed__rewrite"))
        still_wanted = derived.exclude(Exists(own_drops)).values("pk")
        Sample.objects.filter(Q(pk__in=samples.values("pk")) | Q(pk__in=still_wanted)).update(state=SampleState.ACTIVE)


def void_dropped_samples(step: ConstructionStep) -> int:
    """Void what a step has built from texts that were dropped before it ended; returns how many samples of the step are
    void for that reason. Call inside a transaction."""
    drops = _dropped_verdicts().filter(rewrite=OuterRef("rewrite"), aspect=OuterRef("aspect"))
    dropped = step.constructed.filter(Exists(drops)).values("sample")
    return Sample.objects.filter(pk__in=dropped).update(state=SampleState.VOID)


def _dropped_verdicts() -> "QuerySet[RewriteVerdict]":
    return RewriteVerdict.objects.filter(verdict=RewriteVerdict.Verdict.DROP)
