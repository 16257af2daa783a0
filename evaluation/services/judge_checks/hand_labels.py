"""Labelling the texts of a check, one at a time and blind: nothing on the way reads a system, request or judge."""

import uuid
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import AuditVerb, Project
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict, NotFound
from annotation.services.core.word_patterns import join_names
from annotation.transactions import write_transaction
from evaluation.models import HandLabel, JudgeCheck
from evaluation.services.judge_checks.check_draws import get_question
from evaluation.services.judge_checks.checked_texts import hash_text, load_texts

MAX_LISTED = 50
READ_AT_ONCE = 20
"""Texts that are loaded in search of the first one without a label."""


@dataclass(frozen=True)
class CheckText:
    """One text to label. number: its place, from 1. label: what this person said of it, "" before."""

    number: int
    of: int
    text: str
    label: str


@dataclass(frozen=True)
class CheckProgress:
    """One check and how many of its texts a person has labelled."""

    check: JudgeCheck
    labelled: int

    @property
    def of(self) -> int:
        return len(self.check.texts)


def find_check(project: Project, public_id: uuid.UUID) -> JudgeCheck:
    """Raises NotFound."""
    check = JudgeCheck.objects.filter(project=project, public_id=public_id).first()
    if check is None:
        raise NotFound()
    return check


def list_progress(project: Project, by: AbstractBaseUser) -> list[CheckProgress]:
    """The checks of a project, newest first, with the person's own progress."""
    labels = HandLabel.objects.filter(project=project, by_id=by.pk).values_list("question", "text_hash")
    labelled = set(labels)
    checks = JudgeCheck.objects.filter(project=project).order_by("-pk")[:MAX_LISTED]
    return [
        CheckProgress(check, sum((check.question, text_hash) in labelled for _origin, text_hash in check.texts))
        for check in checks
    ]


def count_labelled(check: JudgeCheck, by: AbstractBaseUser) -> CheckProgress:
    """One check with the person's own progress."""
    labels = _labels_of(check, by)
    return CheckProgress(check, sum(text_hash in labels for _origin, text_hash in check.texts))


def list_label_choices(question: str) -> list[tuple[str, str]]:
    """(key to press, label) of a question: the first letter of each answer, and ? for a text nobody can decide."""
    answers = get_question(question).answers
    letters = [answer[0].lower() for answer in answers]
    keys = letters if len(set(letters)) == len(letters) else [str(number) for number in range(1, len(answers) + 1)]
    return [*zip(keys, answers, strict=True), ("?", HandLabel.CANNOT_SAY)]


def read_text(check: JudgeCheck, by: AbstractBaseUser, number: int | None = None) -> CheckText | None:
    """The text with a number; None: the first that this person has not labelled. None if there is none.

    Texts that have changed or gone since the draw are skipped.
    """
    labels = _labels_of(check, by)
    if number is None:
        numbers = [position for position, (_origin, text_hash) in enumerate(check.texts, 1) if text_hash not in labels]
    else:
        numbers = [number] if 1 <= number <= len(check.texts) else []
    for start in range(0, len(numbers), READ_AT_ONCE):
        batch = numbers[start : start + READ_AT_ONCE]
        texts = load_texts(check.project, [check.texts[place - 1][0] for place in batch])
        for place in batch:
            origin, text_hash = check.texts[place - 1]
            text = texts.get(origin, "")
            if text and hash_text(text) == text_hash:
                return CheckText(place, len(check.texts), text, labels.get(text_hash, ""))
    return None


def _labels_of(check: JudgeCheck, by: AbstractBaseUser) -> dict[str, str]:
    rows = HandLabel.objects.filter(project=check.project, question=check.question, by_id=by.pk)
    return dict(rows.values_list("text_hash", "label"))


def store_label(*, check: JudgeCheck, number: int, label: str, by: AbstractBaseUser) -> HandLabel:
    """Store a person's label of a text; a second one replaces the first. Raises BadInput, NotFound, Conflict."""
    labels = [choice for _key, choice in list_label_choices(check.question)]
    if label not in labels:
        raise BadInput(_("Use one of: %(list)s.") % {"list": join_names(labels)}, field="label")
    if not 1 <= number <= len(check.texts):
        raise NotFound(_("This check has no text with that number."))
    if read_text(check, by, number) is None:
        raise Conflict(_("This text has changed since it was drawn. Go on with the next one."), code="changed")
    with write_transaction():
        row, created = HandLabel.objects.update_or_create(
            project=check.project,
            question=check.question,
            text_hash=check.texts[number - 1][1],
            by_id=by.pk,
            defaults={"label": label, "at": timezone.now()},
        )
        # Without the label: readers of the log may still have to label the same text.
        target = f"judge_check:{check.public_id}"
        audit.record_event(
            project=check.project,
            actor=by,
            verb=AuditVerb.JUDGE_CHECK_LABEL,
            target=target,
            number=number,
            again=not created,
        )
    return row
