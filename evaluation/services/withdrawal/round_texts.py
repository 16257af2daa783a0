"""What a withdrawal removes from rounds: a rater's free text, and copies of the person's summaries shown in rounds.

Multiple-choice answers stay in the round, as counts do; exports leave them out for raters who asked for it.
"""

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from annotation.kinds import get_task_kind
from annotation.models import Job
from annotation.services.withdrawal.texts import TEXT_HOLDERS, Holder, Projects, stored_summaries
from evaluation.models import (
    Adjudication,
    Item,
    ItemAssignment,
    Judgement,
    JudgementChange,
    MachineJudgement,
    Round,
    RoundText,
)
from evaluation.services.rounds.round_material import text_hash

REPORT = "round-report"
"""The kind of job whose result is a round's report."""


def _rater_notes(projects: Projects, person: int) -> QuerySet[ItemAssignment]:
    return ItemAssignment.objects.filter(round__project__in=projects, rater=person).exclude(note="")


def _free_answers(projects: Projects, person: int) -> list[int]:
    """Ids of the rater's free-text answers."""
    ids: list[int] = []
    for round_ in Round.objects.filter(project__in=projects, judgements__rater=person).distinct():
        answers = Judgement.objects.filter(round=round_, rater=person).exclude(answer="")
        for pk, question in answers.values_list("pk", "question"):
            if round_.rules.question(question).asks.free:
                ids.append(pk)
    return ids


def _reasons(projects: Projects, person: int) -> QuerySet[Judgement]:
    """Answers of the rater with a reason, now or before a change."""
    answers = Judgement.objects.filter(round__project__in=projects, rater=person)
    changed = JudgementChange.objects.filter(judgement=OuterRef("pk")).exclude(why="")
    return answers.filter(~Q(why="") | Q(Exists(changed)))


def _clear_reasons(projects: Projects, person: int) -> None:
    ids = list(_reasons(projects, person).values_list("pk", flat=True))
    JudgementChange.objects.filter(judgement__in=ids).update(why="")
    Judgement.objects.filter(pk__in=ids).update(why="")


def _clear_free_answers(projects: Projects, person: int) -> None:
    ids = _free_answers(projects, person)
    JudgementChange.objects.filter(judgement__in=ids).update(answer="")
    Judgement.objects.filter(pk__in=ids).update(answer="")


def _decision_notes(projects: Projects, person: int) -> QuerySet[Adjudication]:
    return Adjudication.objects.filter(round__project__in=projects, decided_by=person).exclude(note="")


def _summary_copies(projects: Projects, person: int) -> QuerySet[RoundText]:
    """Copies are found by the hash of their text, and contrastive examples by the summary that they were made from, so
    this must run before the summaries themselves are emptied."""
    summaries = list(stored_summaries(projects, person).values_list("pk", "payload", "project__kind"))
    hashes = {text_hash(get_task_kind(kind, has_sample=True).text_of(payload)) for _pk, payload, kind in summaries}
    examples = Item.objects.filter(targets__0__annotation__in=[pk for pk, _payload, _kind in summaries])
    copies = Q(content_hash__in=hashes) | Q(pk__in=examples.values("first"))
    return RoundText.objects.filter(copies, round__project__in=projects).exclude(text="")


def _clear_copies(projects: Projects, person: int) -> None:
    """Empty the copies, and the marks on them, which quote the summary."""
    ids = list(_summary_copies(projects, person).values_list("pk", flat=True))
    Item.objects.filter(first__in=ids).exclude(marks=[]).update(marks=[])
    rounds = list(RoundText.objects.filter(pk__in=ids).values_list("round", flat=True).distinct())
    # A report on marked errors shows whole summaries; it is calculated again without them.
    Job.objects.done().filter(kind=REPORT, arguments__round__in=rounds).update(result={})
    RoundText.objects.filter(pk__in=ids).update(text="")


def _judge_quotes(projects: Projects, person: int) -> QuerySet[MachineJudgement]:
    """Invalid model outputs about one of the summaries, which may quote it. Must run before the copies are emptied."""
    texts = _summary_copies(projects, person).values_list("pk", flat=True)
    shows_copy = Q(item__first__in=texts) | Q(item__second__in=texts) | Q(item__reference__in=texts)
    return MachineJudgement.objects.filter(shows_copy, round__project__in=projects).exclude(said="")


TEXT_HOLDERS.register(
    Holder(
        "rating_notes",
        _("notes as a rater"),
        lambda p, who: _rater_notes(p, who).count(),
        lambda p, who: _rater_notes(p, who).update(note=""),
    )
)
TEXT_HOLDERS.register(
    Holder(
        "free_answers",
        _("free-text answers as a rater"),
        lambda p, who: len(_free_answers(p, who)),
        _clear_free_answers,
    )
)
TEXT_HOLDERS.register(
    Holder(
        "rating_reasons",
        _("reasons for ratings"),
        lambda p, who: _reasons(p, who).count(),
        _clear_reasons,
    )
)
TEXT_HOLDERS.register(
    Holder(
        "adjudications",
        _("notes on decisions between raters"),
        lambda p, who: _decision_notes(p, who).count(),
        lambda p, who: _decision_notes(p, who).update(note=""),
    )
)
TEXT_HOLDERS.register(
    Holder(
        "round_copies",
        _("copies of the summaries in rounds"),
        lambda p, who: _summary_copies(p, who).count(),
        _clear_copies,
    )
)
TEXT_HOLDERS.register(
    Holder(
        "judge_words",
        _("comments of language models on the summaries"),
        lambda p, who: _judge_quotes(p, who).count(),
        lambda p, who: _judge_quotes(p, who).update(said=""),
    )
)
