"""A dispute for the person who decides: what the raters saw and answered, never which system wrote it."""

from math import factorial
from typing import Any

from epitome.rounds.answer_texts import KEYS, LETTERS, PLACE_JOIN, text_order
from evaluation.models import Item, Round
from evaluation.services.rating.item_payload import describe_material, describe_question, item_texts
from evaluation.services.reports.adjudication import Dispute, list_reasons
from evaluation.services.reports.report_rows import list_raters


def describe_dispute(round_: Round, dispute: Dispute) -> dict[str, Any]:
    """The dispute as values for its page, in the shape of a rated item, with `answers`, `options` and `decision`."""
    item = dispute.item
    labels, keys = _label_answers(dispute), _list_answer_keys(dispute)
    numbers = {name: number for number, name in enumerate(list_raters(round_)[0], 1)}
    reasons = list_reasons(round_, dispute) if dispute.question.why else {}
    votes = [
        {
            "rater": numbers[rater],
            "label": labels.get(answer, answer),
            "unsure": unsure,
            **({"why": reasons.get(rater, "")} if dispute.question.why else {}),
        }
        for rater, answer, unsure in dispute.disagreement.answers
    ]
    decision = dispute.decision
    return {
        **describe_material(round_, item, _order_texts(dispute)),
        "question": describe_question(round_, item, dispute.question),
        "answers": sorted(votes, key=lambda vote: int(vote["rater"])),
        "options": [
            {
                "value": value,
                "label": labels.get(value, value),
                "key": keys[value],
                "proposed": value == dispute.proposal,
            }
            for value in sorted(dispute.options, key=list(keys).index)
        ],
        "decision": {"label": labels.get(decision.answer, decision.answer), "note": decision.note}
        if decision is not None
        else None,
    }


def _first_is_a(item: Item) -> bool:
    """Whether the first text of a pair is shown as A: by the item's random id, because the order of a pair's texts
    follows the order of the systems in the design."""
    return item.public_id.int % 2 == 0


def _list_order(item: Item) -> tuple[int, ...]:
    """The order in which a list is shown, by the item's random id, as the sides of a pair are."""
    n_texts = len(item.targets)
    return text_order(1 + item.public_id.int % factorial(n_texts), n_texts)


def _order_texts(dispute: Dispute) -> list[str]:
    item = dispute.item
    texts = item_texts(item)
    if len(texts) > 2:
        return [texts[number - 1] for number in _list_order(item)]
    if len(texts) == 1:
        return texts
    if dispute.place:
        return [texts[dispute.place - 1]]
    return texts if _first_is_a(item) else texts[::-1]


def _letter_of_text(dispute: Dispute, number: str) -> str:
    """The letter under which a text of the pair, "1" or "2", is shown; "" for another answer."""
    if dispute.place or dispute.question.about != "pair" or number not in ("1", "2"):
        return ""
    return LETTERS[(number == "1") != _first_is_a(dispute.item)].upper()


def _label_answers(dispute: Dispute) -> dict[str, str]:
    """Stored answer -> its words on the page."""
    question = dispute.question
    if not question.asks.by_option:
        return {value: question.asks.describe(question, _to_letters(dispute, value)) for value in dispute.options}
    labels = {option.value: str(option.label) for option in question.asks.options(question)}
    letters = {value: _letter_of_text(dispute, value) for value in dispute.options}
    return labels | {value: labels.get(letter.lower(), letter) for value, letter in letters.items() if letter}


def _to_letters(dispute: Dispute, answer: str) -> str:
    """An answer about a list with the letters of the page in place of the numbers of the texts."""
    if not dispute.question.asks.arranges:
        return answer
    order = _list_order(dispute.item)
    return PLACE_JOIN.join(LETTERS[order.index(int(number))] for number in answer.split(PLACE_JOIN))


def _list_answer_keys(dispute: Dispute) -> dict[str, str]:
    """Stored answer -> the key that gives it, as on the page of the raters and in its order."""
    question = dispute.question
    if not question.asks.by_option:
        values = dispute.options
        if question.asks.arranges:
            values = sorted(values, key=lambda value: _to_letters(dispute, value))
        return {value: KEYS[index] if index < len(KEYS) else "" for index, value in enumerate(values)}
    keys = {option.value: option.key for option in question.asks.options(question)}
    shown_values = {value: _letter_of_text(dispute, value).lower() or value for value in dispute.options}
    order = [*keys, *shown_values.values()]
    return {
        value: keys.get(shown, "") for value, shown in sorted(shown_values.items(), key=lambda row: order.index(row[1]))
    }
