"""The options of a run: what is asked of a judge. Other roles have none."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from annotation.services.core.errors import BadInput
from annotation.services.core.word_patterns import join_names
from epitome.prompts.questions import find_question, list_questions
from epitome.systems.roles import traits_of

MAX_QUESTION = 2000
MAX_ANSWERS = 20
MAX_ANSWER = 100
KNOWN = ("preset", "question", "answers", "shows_source", "shows_request")


def check_options(role: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options as they are stored: {} for all but judges; of a judge `question`, `answers` (two at least, different
    whatever their case), and whether it is flags the source and the request (shows_source, shows_request: by default
    neither). preset: the key of a published question instead, which is stored with its words. Raises BadInput naming
    the option."""
    if not traits_of(role).judges:
        if options:
            raise BadInput(_("Only a judge takes a question."), field=next(iter(options)), code="options")
        return {}
    if options.get("preset"):
        return _fill_preset(options)
    for name in options:
        if name not in KNOWN:
            raise BadInput(_("There is no option %(name)s.") % {"name": str(name)[:60]}, field=str(name)[:60])
    flags = {name: _check_flag(options, name) for name in ("shows_source", "shows_request")}
    return {"preset": "", "question": _check_question(options), "answers": _check_answers(options), **flags}


def _fill_preset(options: Mapping[str, Any]) -> dict[str, Any]:
    question = find_question(str(options["preset"]))
    if question is None:
        known = join_names(known_question.key for known_question in list_questions())
        raise BadInput(_("There is no such question; there are: %(known)s.") % {"known": known}, field="preset")
    filled = {
        "preset": question.key,
        "question": question.question,
        "answers": question.answers,
        "shows_source": False,
        "shows_request": False,
    }
    for name, value in options.items():
        if name not in KNOWN or (value and value != filled[name]):
            raise BadInput(
                _("A published question is asked as it is; leave %(name)s out.") % {"name": name}, field=name
            )
    return filled


def _check_question(options: Mapping[str, Any]) -> str:
    question = options.get("question", "")
    if not isinstance(question, str) or not question.strip() or len(question) > MAX_QUESTION or "\0" in question:
        message = _("Write the question for the judge, in at most %(n)d characters.") % {"n": MAX_QUESTION}
        raise BadInput(message, field="question", code="question")
    return question.strip()


def _check_answers(options: Mapping[str, Any]) -> list[str]:
    answers = options.get("answers", ())
    if not isinstance(answers, list | tuple) or not 2 <= len(answers) <= MAX_ANSWERS:
        message = _("Give answers to choose from: two at least, at most %(n)d.") % {"n": MAX_ANSWERS}
        raise BadInput(message, field="answers", code="answers")
    cleaned = [answer.strip() if isinstance(answer, str) else "" for answer in answers]
    if not all(0 < len(answer) <= MAX_ANSWER and "\0" not in answer for answer in cleaned):
        message = _("Each answer is a text of at most %(n)d characters.") % {"n": MAX_ANSWER}
        raise BadInput(message, field="answers", code="answers")
    if len({answer.casefold() for answer in cleaned}) < len(cleaned):
        raise BadInput(_("Two answers are the same."), field="answers", code="answers")
    return cleaned


def _check_flag(options: Mapping[str, Any], name: str) -> bool:
    value = options.get(name, False)
    if not isinstance(value, bool):
        raise BadInput(_("This value has the wrong type."), field=name)
    return value
