"""The readable table beside the published numbers of a test split, on texts made up for its counts."""

import pytest

from epitome.metrics.report import Options, make_report
from epitome.metrics.report_text import align_rows, report_text
from tests.metrics.factories import EveryWordANoun, build_macsum_file, read_requests


def text_of(key: str, dataset: str, options: Options | None = None, predictions: bool = True) -> str:
    file = build_macsum_file(key, dataset, list(read_requests(key)))
    texts = ["text"] * len(file.samples) if predictions else None
    return report_text(make_report(file, texts, tagger=EveryWordANoun(), options=options))


@pytest.fixture(scope="module")
def documents() -> str:
    return text_of("macsum-doc-test", "cnndm")


def line_of(text: str, start: str) -> list[str]:
    return next(line for line in text.splitlines() if line.startswith(start)).split()


def test_the_gold_slopes_of_the_paper_stand_beside_ours(documents):
    assert line_of(documents, "Length  ")[-1] == "32.444"
    assert line_of(documents, "Extractiveness  ")[-1] == "0.141"
    # What the paper prints for specificity stands beside the number that was measured like it, not beside the true one.
    assert line_of(documents, "Specificity  ")[-1] == "-"
    assert line_of(documents, "Specificity, as published *")[-1] == "0.103*"


def test_the_systems_of_the_paper_follow(documents):
    assert line_of(documents, "HP  ")[1:4] == ["0.340", "31.421", "0.802"]
    assert line_of(documents, "HP+SP  ")[-3:] == ["0.288", "0.103", "0.248"]
    assert "0.259*" in line_of(documents, "HP  ")
    assert "Table 4" in documents


def test_meetings_have_no_slip(documents):
    meetings = text_of("macsum-dial-test", "qmsum")
    assert "Table 5: systems on the test split of MAC-Dial" in meetings
    assert line_of(meetings, "Specificity normal")[-1] == "5.01*"
    assert "5.10" in meetings


def test_published_numbers_stand_beside_numbers_of_their_kind_only():
    assert "0.103*" not in text_of("macsum-doc-test", "cnndm", Options(pairs="all"), predictions=False)
    literal = text_of("macsum-doc-test", "cnndm", Options(profile="literal"), predictions=False)
    assert "published  " not in literal
    assert "34.30" not in literal
    assert "34.30" in text_of("macsum-doc-test", "cnndm", predictions=False)


def test_columns_are_aligned():
    assert align_rows([["a", "n", "mean"], ["long name", "12", "3.5"]]) == [
        "a           n  mean",
        "long name  12   3.5",
    ]
