"""A question type is one class: rounds read it, reports and combined estimates take it by its traits."""

import pytest

from epitome.combined.rows import Scale
from epitome.reports.answers import Answer, ReportQuestion
from epitome.reports.build import build_report
from epitome.rounds.config_parsing import parse_round
from epitome.rounds.question_traits import QuestionType
from epitome.rounds.question_types import TYPES, Likert
from epitome.schema import load_preset
from tests.reports.frames import make_frame

ROUND = """
[round]
name = "R"
seed = 1

[template]
key = "own"
name = "Own"
form = "single"
shows = ["source"]
intro = "Read."

[[template.question]]
key = "light"
type = "light"
text = "May it be printed?"

[[template.question]]
key = "quality"
type = "stars"
text = "How good is it?"

[[target]]
kind = "gold"
"""


class Stars(Likert):
    """Steps with another look."""

    name = "stars"


class Light(QuestionType):
    """Answers of its own in an order."""

    name = "light"
    fixed = (("green", "Yes", "g"), ("amber", "After an edit", "a"), ("red", "No", "r"))
    stored = ("red", "amber", "green")
    compared = True
    headline = "mean"

    def ascending(self, values):
        return self.stored


@pytest.fixture(autouse=True)
def types(monkeypatch):
    for kind in (Stars(), Light()):
        monkeypatch.setitem(TYPES, kind.name, kind)


def rate_two_systems(question: ReportQuestion, answers: dict[str, str]):
    rows = [
        Answer(f"{system}-{number}", rater, question.key, value, system, "document", f"s{number}", f"s{number}")
        for system, value in answers.items()
        for number in range(8)
        for rater in ("one", "two")
    ]
    return build_report(
        make_frame(systems=tuple(answers), questions=(question,), domains=(("document", "News"),)), rows
    )


def test_a_round_asks_it_and_estimates_are_combined_from_it():
    config = parse_round(ROUND, load_preset("macsum-doc"))

    assert [question.key for question in config.certain_questions] == ["light", "quality"]
    assert [question.asks.template for question in config.questions] == [
        "evaluation/questions/light.html",
        "evaluation/questions/stars.html",
    ]
    assert Scale.of_question("light").value_of("amber") == 0.5


def test_a_report_compares_systems_by_answers_of_its_own():
    report = rate_two_systems(ReportQuestion("light", "Print", "Prt", "light"), {"A": "green", "B": "amber"})
    tables = {table.key: table for table in report.tables}

    assert [row[1].value for row in tables["headline"].rows] == [3, 2]
    assert tables["significance"].rows[0][4].value == 1
    assert tables["agreement"].rows[0][0].value == "Print"
    assert "Differences between systems are tested" in report.methods


def test_a_type_derived_from_another_has_its_tables():
    question = ReportQuestion("quality", "Quality", "Qua", "stars", values=("1", "2", "3", "4", "5"))
    report = rate_two_systems(question, {"A": "4", "B": "2"})
    tables = {table.key: table for table in report.tables}

    assert [row[2].value for row in tables["scale-quality"].rows] == [4, 2]
    assert tables["significance"].rows[0][4].value == 2
