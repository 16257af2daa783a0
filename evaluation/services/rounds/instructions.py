"""Instructions of a round: confirmation before the first item, and the qualification on worked examples if required."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import CrowdOutcome
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.people import crowd_outcomes
from annotation.transactions import write_transaction
from epitome.rounds.answer_texts import BadAnswer
from epitome.rounds.questions import Question
from epitome.rounds.templates import Definition, Example
from evaluation.models import RaterReading, Round

MAX_TRIES = 3


def instructions_hash(round_: Round) -> str:
    """SHA-256 over the instructions and the questions of a round."""
    content = [asdict(round_.instructions), [asdict(question) for question in round_.rules.questions]]
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=dict).encode()).hexdigest()


def list_terms(round_: Round) -> list[Definition]:
    """The terms that the instructions of a round define: none of an attribute that it does not ask about."""
    return round_.instructions.list_terms({question.attribute for question in round_.rules.questions})


def find_reading(round_: Round, rater: AbstractBaseUser) -> RaterReading | None:
    return RaterReading.objects.filter(round=round_, rater=rater.pk).first()


def next_step(round_: Round, rater: AbstractBaseUser) -> str:
    """What must be done before the first item: "instructions", "qualification" or ""."""
    reading = find_reading(round_, rater)
    if reading is None:
        return "instructions"
    return "qualification" if round_.rules.qualification and reading.qualified_at is None else ""


def confirm_instructions(*, round_: Round, rater: AbstractBaseUser, shown_hash: str) -> RaterReading:
    """Record that the instructions were read. shown_hash: the hash of the version that was shown. Idempotent."""
    if shown_hash != instructions_hash(round_):
        raise Conflict(_("The instructions have changed; read them again."), code="stale")
    with write_transaction():
        row, _created = RaterReading.objects.get_or_create(
            round=round_, rater_id=rater.pk, defaults={"instructions_hash": shown_hash, "read_at": timezone.now()}
        )
    return row


def qualifying_examples(round_: Round) -> list[Example]:
    """The worked examples used for qualification: those with an answer to a question of the round."""
    examples = [example for example in round_.instructions.examples if example.qualifies]
    return [example for example in examples if asked_of_example(round_, example)]


def asked_of_example(round_: Round, example: Example) -> list[Question]:
    """The questions of the round that a worked example answers, over as many texts as it shows. An answer that the
    question does not have, because the schema has other values, asks nothing."""
    questions = (question.for_texts(len(example.summaries)) for question in round_.rules.questions)
    return [question for question in questions if question.key in example.answers and _is_answer(question, example)]


def _is_answer(question: Question, example: Example) -> bool:
    try:
        question.asks.read(question, example.answers[question.key])
    except BadAnswer:
        return False
    return True


def submit_qualification(*, round_: Round, rater: AbstractBaseUser, answers: Mapping[str, str]) -> RaterReading:
    """Compare answers with those of the examples and record the try. answers: "{number of the example}-{question}" ->
    answer.

    Raises BadInput for a missing answer, Conflict when all tries are used up.
    """
    rules, results = round_.rules, {}
    for index, example in enumerate(qualifying_examples(round_)):
        for question in asked_of_example(round_, example):
            key = f"{index}-{question.key}"
            try:
                answer = question.asks.read(question, answers.get(key))
            except BadAnswer as error:
                raise BadInput(_("Answer every question."), field=key) from error
            right = question.asks.read(question, example.answers[question.key])
            results[key] = question.asks.matches(question, answer, right)
    with write_transaction():
        row = RaterReading.objects.select_for_update().filter(round=round_, rater=rater.pk).first()
        if row is None:
            raise Conflict(_("Read and confirm the instructions first."), code="instructions")
        if row.qualified_at is None:
            if row.tries >= MAX_TRIES:
                raise Conflict(_("No attempts left. Please contact the project team."), code="tries")
            _record_try(row, results, rules.qualification)
    if row.qualified_at is None and row.tries >= MAX_TRIES:
        _screen_out(round_, rater)
    return row


def _screen_out(round_: Round, rater: AbstractBaseUser) -> None:
    """End the participation of a person who joined by a crowd link."""
    progress = crowd_outcomes.worker_progress(round_.project, rater)
    if progress is not None:
        crowd_outcomes.note_outcome(progress, CrowdOutcome.SCREENED_OUT)


def _record_try(row: RaterReading, results: Mapping[str, bool], needed: float) -> None:
    right = sum(results.values())
    entry: dict[str, Any] = {
        "right": right,
        "asked": len(results),
        "wrong": [key for key, is_right in results.items() if not is_right],
    }
    row.tries += 1
    row.qualification = [*row.qualification, entry]
    row.qualified_at = timezone.now() if right >= needed * len(results) else None
    row.save(update_fields=["tries", "qualification", "qualified_at"])
