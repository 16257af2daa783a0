"""Rules of a round that pause a rater: wrong answers to foils, too little time, the same answers again and again.

As the rules for annotators (annotation.services.people.pause_rules): they look at answers since the rater was last
resumed, cost queries only where a rule is set, and give no more items; answers stay and count.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, User
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import AuditVerb
from annotation.services.core import audit
from annotation.services.core.errors import BadInput
from annotation.services.people.pause_rules import SECONDS, Reason, judge_seconds
from annotation.services.people.pauses import end_pause, start_pause
from annotation.transactions import write_transaction
from epitome.figures.numbers import format_count, format_decimal
from epitome.rounds.config import Pausing
from evaluation.models import ItemAssignment, ItemAssignmentState, Judgement, Round, RoundRater
from evaluation.services.rating import item_claims

FOILS, SAME = "foils", "same"


def apply_after_item(round_: Round, rater_id: int) -> None:
    """Pause the rater if the item they finished was one too many. Runs in the transaction that stored it."""
    rules = round_.rules.pausing
    if not (rules.foils_wrong or rules.seconds or rules.same_answers):
        return
    rows = RoundRater.objects.filter(round=round_, rater=rater_id, left_at=None, paused_at=None)
    row = rows.first()
    if row is None:
        return
    reason = _find_reason(round_, rater_id, rules, row.pause_counts_from)
    if reason is not None and start_pause(rows, reason=reason):
        for assignment in ItemAssignment.objects.filter(
            round=round_, rater=rater_id, state=ItemAssignmentState.CLAIMED
        ):
            item_claims.end_claim(assignment, ItemAssignmentState.RELEASED)
        _record_event(round_, None, AuditVerb.MEMBER_PAUSE, rater_id, origin="rule", **reason)


def _find_reason(round_: Round, rater_id: int, rules: Pausing, since: datetime | None) -> Reason | None:
    finished = ItemAssignment.objects.filter(round=round_, rater=rater_id, state=ItemAssignmentState.DONE)
    if since is not None:
        finished = finished.filter(answered_at__gt=since)
    latest = finished.order_by("-answered_at", "-pk")
    if rules.foils_wrong:
        foils = Judgement.objects.filter(item_assignment__in=finished).exclude(item__expected={})
        rows = foils.values_list("question", "answer", "item__expected")
        n_wrong = sum(answer != expected.get(question, answer) for question, answer, expected in rows)
        if n_wrong >= rules.foils_wrong:
            return {"rule": FOILS, "n": n_wrong}
    if rules.seconds:
        seconds = list(latest.values_list("active_seconds", flat=True)[: rules.window])
        if reason := judge_seconds(seconds, window=rules.window, below=rules.seconds):
            return reason
    if rules.same_answers:
        keys = list(latest.values_list("pk", flat=True)[: rules.same_answers])
        if len(keys) == rules.same_answers and _are_alike(_load_choices(round_, keys)):
            return {"rule": SAME, "n": rules.same_answers}
    return None


def _load_choices(round_: Round, assignments: Sequence[int]) -> list[dict[str, str]]:
    """Of each item the answers that were chosen, not written or marked, by question, as they were shown on the page."""
    chosen = {question.key for question in round_.rules.questions if not question.asks.free and not question.asks.marks}
    answers: defaultdict[int, dict[str, str]] = defaultdict(dict)
    rows = Judgement.objects.filter(item_assignment__in=assignments, question__in=chosen)
    for assignment, question, answer in rows.values_list("item_assignment_id", "question", "answer"):
        answers[assignment][question] = answer
    return [answers[key] for key in assignments]


def _are_alike(answers_by_item: Sequence[Mapping[str, str]]) -> bool:
    """Whether every question got one answer throughout. Not if an item asks for no choice."""
    values: defaultdict[str, set[str]] = defaultdict(set)
    for answers in answers_by_item:
        for question, answer in answers.items():
            values[question].add(answer)
    return all(answers_by_item) and all(len(answers) == 1 for answers in values.values())


def list_paused(round_: Round) -> list[RoundRater]:
    """The paused raters of a round, by user name."""
    rows = RoundRater.objects.filter(round=round_, left_at=None, paused_at__isnull=False)
    return list(rows.select_related("rater").order_by("rater__username"))


def resume_rater(*, round_: Round, rater: User, by: AbstractBaseUser | None) -> None:
    """Give a paused rater items again; rules count only later answers. Raises BadInput for anybody else."""
    with write_transaction():
        if not end_pause(RoundRater.objects.filter(round=round_, rater=rater, left_at=None)):
            raise BadInput(_("This rater is not paused."), field="rater")
        _record_event(round_, by, AuditVerb.MEMBER_RESUME, rater.pk)


def describe_reason(reason: Mapping[str, Any]) -> str:
    """Why a rule paused a rater, in words and numbers for staff; "" without one."""
    n = reason.get("n", 0)
    if reason.get("rule") == FOILS:
        text = ngettext("Rule: %(n)s wrong answer to a foil.", "Rule: %(n)s wrong answers to foils.", n)
        return text % {"n": format_count(n)}
    if reason.get("rule") == SECONDS:
        text = ngettext(
            "Rule: %(median)s s of active time in the last item, less than %(below)s s.",
            "Rule: median of %(median)s s of active time in the last %(n)s items, less than %(below)s s.",
            n,
        )
        numbers = {name: format_decimal(reason[name], 1) for name in ("median", "below")}
        return text % {**numbers, "n": format_count(n)}
    if reason.get("rule") == SAME:
        text = ngettext("Rule: the same answers to %(n)s item.", "Rule: the same answers to %(n)s items in a row.", n)
        return text % {"n": format_count(n)}
    return ""


def _record_event(round_: Round, by: AbstractBaseUser | None, verb: AuditVerb, rater_id: int, **detail: Any) -> None:
    target = f"user:{rater_id}"
    audit.record_event(
        project=round_.project, actor=by, verb=verb, target=target, round=str(round_.public_id), **detail
    )
