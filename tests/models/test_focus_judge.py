"""F1 of the focus among what weights are chosen by: with a chat model that reads it; n/a with its reason without."""

from pathlib import Path

import pytest

from epitome.schema import SchemaError, load_preset
from epitome.systems.protocol import Output, Request
from epitome.training import focus_judge
from epitome.training.config import Data, parse_training
from epitome.training.data import Example
from epitome.training.focus_judge import FocusJudge, describe_missing_judge
from epitome.training.selection import DevScorer
from epitome.training.shipped import shipped_text

JUDGE = '[judge]\nserver = "lab"\nmodel = "tiny-1"\n'
EMPIRICAL, CONCEPTUAL = "We measured 12 cats.", "We think about cats."


def read(key="ccs-lora-flan-t5-xl", more=""):
    return parse_training(shipped_text(key) + more, "x.toml", Path("/nowhere"), data=Data())


def example(number, **values):
    request = Request(f"s{number}", ({"speaker": "", "text": "Cats."},), values, load_preset("ccsbench"))
    return Example(request, EMPIRICAL, f"paper{number}")


@pytest.fixture
def judge(monkeypatch):
    """A judge that answers by the summaries' words; `asked` are its requests."""

    class Reader:
        asked: list[Request] = []

        def judge(self, batch, question, answers):
            type(self).asked = list(batch)
            assert set(answers) == {"empirical", "conceptual"}
            words = {EMPIRICAL: "empirical", CONCEPTUAL: "conceptual"}
            return [Output(words.get(request.text, "I cannot tell")) for request in batch]

    monkeypatch.setattr(focus_judge, "make_system", lambda config: Reader())
    other_focus_judge = FocusJudge(read(more=JUDGE).judge)
    other_focus_judge.reader = Reader
    return other_focus_judge


def test_the_judge_reads_what_was_written_for_a_focus_and_nothing_else(judge):
    examples = [example(1, focus="high"), example(2, length="1"), example(3, focus="low"), example(4, focus="low")]

    seen = judge.read_focus(examples, [EMPIRICAL, EMPIRICAL, CONCEPTUAL, "cats cats"])

    assert seen == {0: "high", 2: "low", 3: None}
    assert [(request.text, request.segments, request.values) for request in judge.reader.asked] == [
        (EMPIRICAL, (), {}), (CONCEPTUAL, (), {}), ("cats cats", (), {}),
    ]  # fmt: skip


def test_f1_joins_the_mean_error_where_a_judge_reads_the_focus(judge):
    examples = [example(1, focus="high", length="0"), example(2, focus="low", length="0")]
    summaries = [EMPIRICAL, EMPIRICAL]  # the second is of the wrong focus: F1 is the mean of 2/3 and 0

    without = DevScorer(examples).scores(summaries)
    scores = DevScorer(examples, judge).scores(summaries)

    assert "f1" not in without
    assert scores["f1"] == pytest.approx(1 / 3)
    errors = [1 - scores["rouge_rl"], scores["mad"] / 4, 1 - scores["f1"]]
    assert scores["selection"] == pytest.approx(sum(errors) / 3)
    assert without["selection"] == pytest.approx(sum(errors[:2]) / 2)


def test_without_a_judge_the_result_says_why_f1_is_missing():
    assert describe_missing_judge(read()) == {
        "f1": "n/a: nothing reads the focus of dev summaries; name a chat model in [judge]"
    }
    assert describe_missing_judge(read(more=JUDGE)) == {}
    assert describe_missing_judge(read("hp-macdoc")) == {}


def test_a_fault_in_the_judges_options_names_its_line():
    with pytest.raises(SchemaError, match=r"judge.modell.*did you mean .model"):
        read(more=JUDGE.replace("model =", "modell ="))
