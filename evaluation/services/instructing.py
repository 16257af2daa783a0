"""Instructions of a round: read and confirmed before the first item, and the answers on worked examples where asked."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.services.errors import BadInput, Conflict
from annotation.transactions import write
from evaluation.models import RaterReading, Round
from evaluation.rounds.protocols import Example
from evaluation.rounds.questions import BadAnswer

MOST_TRIES = 3


def instructions_hash(round_: Round) -> str:
    """SHA-256 over all that the instructions say and ask."""
    told = [asdict(round_.instructions), [asdict(one) for one in round_.rules.questions]]
    return hashlib.sha256(json.dumps(told, sort_keys=True, default=dict).encode()).hexdigest()


def reading_of(round_: Round, rater: AbstractBaseUser) -> RaterReading | None:
    return RaterReading.objects.filter(round=round_, rater=rater.pk).first()


def next_step(round_: Round, rater: AbstractBaseUser) -> str:
    """What must be done before the first item: "instructions", "qualification" or ""."""
    reading = reading_of(round_, rater)
    if reading is None:
        return "instructions"
    return "qualification" if round_.rules.qualification and reading.qualified_at is None else ""


def confirm(*, round_: Round, rater: AbstractBaseUser, given: str) -> RaterReading:
    """Note that the instructions were read. given: the hash of those that were shown. Twice is as good as once."""
    if given != instructions_hash(round_):
        raise Conflict(_("The instructions have changed; read them again."), code="stale")
    with write():
        row, _made = RaterReading.objects.get_or_create(
            round=round_, rater_id=rater.pk, defaults={"instructions_hash": given, "read_at": timezone.now()}
        )
    return row


def qualifying(round_: Round) -> list[Example]:
    """The worked examples that are asked beforehand, with the questions of the round that they answer."""
    keys = {one.key for one in round_.rules.questions}
    return [one for one in round_.instructions.examples if one.qualifies and keys & set(one.answers)]


def qualify(*, round_: Round, rater: AbstractBaseUser, given: Mapping[str, str]) -> RaterReading:
    """Hold answers against those of the examples. given: "{number of the example}-{question}" -> answer.

    Raises BadInput for a missing answer, Conflict when all tries are used up.
    """
    rules, asked = round_.rules, {}
    for number, example in enumerate(qualifying(round_)):
        for question in rules.questions:
            if question.key in example.answers:
                key = f"{number}-{question.key}"
                try:
                    asked[key] = question.asks.read(question, given.get(key)) == example.answers[question.key]
                except BadAnswer as error:
                    raise BadInput(_("Answer every question."), field=key) from error
    with write():
        row = RaterReading.objects.select_for_update().filter(round=round_, rater=rater.pk).first()
        if row is None:
            raise Conflict(_("Read and confirm the instructions first."), code="instructions")
        if row.qualified_at is None:
            if row.tries >= MOST_TRIES:
                raise Conflict(_("All tries are used up. The team of the project can tell you more."), code="tries")
            _note(row, asked, rules.qualification)
    return row


def _note(row: RaterReading, asked: Mapping[str, bool], needed: float) -> None:
    right = sum(asked.values())
    told: dict[str, Any] = {
        "right": right,
        "asked": len(asked),
        "wrong": [key for key, fine in asked.items() if not fine],
    }
    row.tries += 1
    row.qualification = [*row.qualification, told]
    row.qualified_at = timezone.now() if right >= needed * len(asked) else None
    row.save(update_fields=["tries", "qualification", "qualified_at"])
