"""Item truth by crowd-kit; without it, a message that says what to install."""

import builtins
import json
import random

import pytest

from epitome.agreement.judgements_file import read_judgements
from epitome.agreement.truth import item_truth
from epitome.formats.reading import input_file
from epitome.text.missing_library import MissingLibrary

ACCURACY = {"a": 0.95, "b": 0.9, "c": 0.85, "d": 0.5, "e": 0.5}


@pytest.fixture(scope="module")
def truth():
    rng = random.Random(3)
    return {f"i{number:03}": rng.random() < 0.5 for number in range(150)}


@pytest.fixture
def judgements(truth, tmp_path):
    rng = random.Random(4)
    rows = [
        {"item_id": item, "rater": rater, "question": "q", "answer": right if rng.random() < accuracy else not right}
        for item, right in truth.items()
        for rater, accuracy in ACCURACY.items()
    ]
    path = tmp_path / "judged.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return read_judgements(input_file(path))


@pytest.mark.models
@pytest.mark.parametrize("model", ["mace", "dawid-skene"])
def test_truth_is_found_and_guessers_are_known(judgements, truth, model):
    pytest.importorskip("crowdkit", reason="crowd-kit comes with the analysis extra")
    result = item_truth(judgements, "q", model=model)
    assert sum(result.answers[item] == right for item, right in truth.items()) >= 0.93 * len(truth)
    for rater, accuracy in ACCURACY.items():
        assert result.reliability[rater] == pytest.approx(accuracy, abs=0.1)


def test_without_the_library_the_message_says_what_to_install(judgements, monkeypatch):
    real = builtins.__import__

    def refusing(name, *arguments, **options):
        if name.startswith("crowdkit"):
            raise ImportError(name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", refusing)
    with pytest.raises(MissingLibrary, match=r"epitome\[analysis\]"):
        item_truth(judgements, "q")


@pytest.mark.parametrize("wrong", [{"question": "other"}, {"question": "q", "model": "glad"}])
def test_what_is_not_there_is_refused(judgements, wrong):
    with pytest.raises(ValueError, match=r"other|glad"):
        item_truth(judgements, **wrong)


def test_one_rater_cannot_be_weighed(tmp_path):
    path = tmp_path / "judged.jsonl"
    path.write_text('{"item_id": "i", "rater": "A", "question": "q", "answer": "yes"}\n')
    with pytest.raises(ValueError, match="two raters"):
        item_truth(read_judgements(input_file(path)), "q")
