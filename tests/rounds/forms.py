"""Rounds whose template asks every kind of question about a list, or about one summary, and answers to them."""

from typing import Any

from epitome.rounds.questions import Question
from evaluation.models import ItemAssignment, Round
from evaluation.services.rating import answers as rating_answers
from tests.rounds.factories import claim

LIST_TEMPLATE = """
[template]
key = "compare-three"
name = "Three at once"
form = "list"
shows = ["source", "request"]
intro = "You see three summaries."

[[template.definition]]
term = "Better"
text = "Truer and clearer."

[[template.question]]
key = "pick"
type = "best-worst"
text = "Which one is best, which one is worst?"
why = "required"

[[template.question]]
key = "rank"
type = "ranking"
text = "Rank them."

[[template.example]]
title = "One is empty"
summaries = ["All of it.", "Some of it.", "Nothing."]
answers = { pick = "a>c", rank = "a>b>c" }
why = "The third says nothing."
qualifies = true
"""
SINGLE_TEMPLATE = """
[template]
key = "faults"
name = "Faults and a number"
form = "single"
shows = ["source", "metadata:desk"]
intro = "You see one summary."

[[template.question]]
key = "faults"
type = "several"
values = ["wrong fact", "left out", "hard to read"]
text = "What is wrong with it?"
why = "optional"

[[template.question]]
key = "score"
type = "number"
least = 0
most = 100
step = 5
labels = { 0 = "useless", 100 = "perfect" }
text = "How good is it?"
"""
HEAD = '[round]\nname = "{name}"\nseed = 7\nraters_per_item = {n_raters}\n{head}\n[selection]\nn = {n}\n'
GOLD = '[[target]]\nkind = "gold"\n'
THREE_TARGETS = GOLD + '[[target]]\nsystem = "lead"\n[[target]]\nsystem = "tail"\n'


def list_round(name: str = "Lists", *, n: int = 4, n_raters: int = 2, head: str = "", more: str = "") -> str:
    return HEAD.format(name=name, n=n, n_raters=n_raters, head=head) + THREE_TARGETS + LIST_TEMPLATE + more


def single_round(name: str = "Singles", *, n: int = 4, n_raters: int = 2, head: str = "", more: str = "") -> str:
    targets = GOLD + '[[target]]\nsystem = "lead"\n'
    return HEAD.format(name=name, n=n, n_raters=n_raters, head=head) + targets + SINGLE_TEMPLATE + more


def answer_to(question: Question, value: str = "") -> dict[str, Any]:
    """A sound answer with a reason where one is asked for."""
    usual = {"best-worst": "a>c", "ranking": "c>a>b", "several": "left out", "number": "40"}
    answer = value or usual.get(question.type) or question.asks.options(question)[0].value
    return {"answer": answer, "unsure": False, **({"why": "Because of A."} if question.why else {})}


def rate_items(round_: Round, rater: Any, values: Any = None) -> list[ItemAssignment]:
    """Rate until nothing is left. values: assignment -> question -> answer; by default the usual ones."""
    rated = []
    while (assignment := claim(round_, rater)) is not None:
        entries = values(assignment) if values else {}
        rules = assignment.round.rules
        answers = {key: answer_to(rules.question(key), entries.get(key, "")) for key in assignment.item.questions}
        rating_answers.save_answers(assignment=assignment, payload={"answers": answers, "note": ""}, finish=True)
        rated.append(assignment)
    return rated
