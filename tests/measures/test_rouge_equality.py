"""Extractiveness is the mean of ROUGE-2 and ROUGE-3 precision of PyPI `rouge`, which gave the published numbers."""

import json

import pytest
from rouge import Rouge

from epitome.measures import SourceIndex
from epitome.measures.overlap import extractiveness
from epitome.text.unspaced import has_unspaced
from tests.measures_js.cases import cases

SCORER = Rouge(metrics=["rouge-2", "rouge-3"], stats=["p"])


def published_extractiveness(text: str, source: str) -> float:
    """Of texts that hold more than full stops; `rouge` refuses others."""
    scores = SCORER.get_scores(text, source)[0]
    return (scores["rouge-2"]["p"] + scores["rouge-3"]["p"]) / 2


@pytest.mark.parametrize(("name", "domain", "number"), [("macdoc", "document", 554), ("macdial", "dialogue", 292)])
def test_every_dev_summary_has_the_extractiveness_of_rouge(shared, name, domain, number):
    compared = 0
    for entry in json.loads((shared / f"data/macsum/{name}/val.json").read_text(encoding="utf-8")):
        index = SourceIndex.from_lines(entry["source"], domain)
        for reference in entry["references"]:
            text = reference["summary"]
            assert extractiveness(text, index) == pytest.approx(published_extractiveness(text, index.joined), abs=1e-12)
            compared += 1
    assert compared == number


def test_generated_texts_have_the_extractiveness_of_rouge():
    inner_stops = 0
    for case in cases(10_000, seed=31):
        index = SourceIndex(case["segments"], domain=case["domain"])
        text = case["text"]
        if has_unspaced(text + index.joined):  # `rouge` takes a sentence of these scripts for a word
            continue
        if not text.strip(".") or not index.joined.strip("."):
            assert extractiveness(text, index) == 0
            continue
        assert extractiveness(text, index) == pytest.approx(published_extractiveness(text, index.joined), abs=1e-12)
        inner_stops += "U.S." in text or ". ." in text
    assert inner_stops > 200
