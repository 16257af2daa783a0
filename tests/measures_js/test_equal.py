"""The browser counts what the server counts: to 1e-12, and to the character."""

import json
import math
import os
import random

import pytest

from epitome.formats.macsum import parse_sentence, parse_turn
from epitome.measures.requested_names import parse_names
from epitome.measures.source import SourceIndex
from epitome.text.unspaced import cut_runs
from epitome.text.words import n_words
from tests.measures_js import counting
from tests.measures_js.cases import VECTORS, cases

GENERATED = 20_000 if os.environ.get("EPITOME_TEST_FULL") else 2_000
SHARES = ("ratio", "compression", "extractiveness", "topic")
EXACT = ("words", "band", "runs", "found")


def assert_equal(python, browser, case) -> None:
    for name in EXACT:
        assert browser[name] == python[name], (name, case)
    for name in SHARES:
        mine, theirs = python[name], browser[name]
        same = theirs is None if mine is None else theirs is not None and math.isclose(mine, theirs, abs_tol=1e-12)
        assert same, (name, mine, theirs, case)


def test_generated_texts_are_counted_alike(tmp_path):
    result = cases(GENERATED)
    for case, browser in zip(result, counting.by_browser(result, tmp_path), strict=True):
        assert_equal(counting.by_python(case), browser, case)


def test_the_generated_texts_try_what_they_should():
    """Without copied runs, found topics or odd characters the comparison would be an easy one."""
    measured = [counting.by_python(case) for case in cases(500)]
    assert sum(bool(item["runs"]) for item in measured) > 100
    assert sum(len(run[2]) > 1 for item in measured for run in item["runs"]) > 20
    assert sum(0 < item["extractiveness"] < 1 for item in measured) > 100
    assert sum(item["topic"] is not None and 0 < item["topic"] < 1 for item in measured) > 50
    texts = "".join(case["text"] for case in cases(500))
    assert all(odd in texts for odd in ("🚢", "İ", "Σ", "ß", "...", "\u0301", "مرحبا", "\x1c", "\x85", "\ufeff"))


PROSE = {
    "en": "The council’s last boat (built in 1998) won’t leave before 23:40; fares rise by 4.5 % – “too much”: Ann.",
    "de": "Die Nachtfähre fährt ab 1. April wieder, sagte Bürgermeisterin Groß: „Endlich!“ Das kostet 1.200 € je Tag.",
    "zh": "市议会周二以14比9通过了夜班渡轮的预算，票价从4元涨到5元。“太贵了！”一位护士说，GDP增长了2.5%。",
    "ar": "تغادر العبّارة الليلية عند الساعة 11:40، وسترتفع الأسعار من ٤ إلى ٥ كرونات للزوار؛ «هذا كثير» قالت الممرضة.",
}
"""Running text of each language of the interface, with its marks, numbers and quotations."""


@pytest.mark.parametrize("language", PROSE)
def test_prose_of_each_language_is_counted_alike_wherever_it_is_cut(language, tmp_path):
    """What the writer's meter counts while a text grows is what reviewer, report and library count of it."""
    draw = random.Random(language)
    text = " ".join([PROSE[language]] * 3)
    pieces = [text[: end + 1] for end in range(len(PROSE[language]))]
    for _ in range(200):
        start, end = sorted(draw.sample(range(len(text)), 2))
        pieces.append(text[start:end])
    segment = {"speaker": "", "text": PROSE[language]}
    items = [
        {"text": piece, "segments": [segment], "domain": "document", "topics": [], "band": None, "base": 10}
        for piece in pieces
    ]
    counted = [item["words"] for item in counting.by_browser(items, tmp_path)]
    assert counted == [n_words(piece) for piece in pieces]
    assert max(counted) > 20


@pytest.mark.parametrize(("name", "domain", "number"), [("macdoc", "document", 554), ("macdial", "dialogue", 292)])
def test_every_dev_summary_is_counted_alike(shared, tmp_path, name, domain, number):
    file = shared / "data" / "macsum" / name / "val.json"
    items, sources = [], {}
    for key, entry in enumerate(json.loads(file.read_text(encoding="utf-8"))):
        segments = [parse_turn(line) if domain == "dialogue" else parse_sentence(line) for line in entry["source"]]
        sources[key] = SourceIndex(segments, domain=domain)
        for reference in entry["references"]:
            topics = parse_names(reference["control_attribute"]["topic"])
            items.append({"key": key, "domain": domain, "segments": segments, "text": reference["summary"],
                         "topics": topics, "band": None, "base": sources[key].n_words})  # fmt: skip
    assert len(items) == number
    for case, browser in zip(items, counting.by_browser(items, tmp_path), strict=True):
        assert_equal(counting.by_python(case, sources[case["key"]]), browser, case["text"])


def test_every_character_is_seen_alike(tmp_path):
    """White space, letters and small letters, over all of Unicode but the surrogates."""
    points = [point for point in range(0x110000) if not 0xD800 <= point <= 0xDFFF]
    browser = counting.node("characters.mjs", points, tmp_path)
    assert browser["space"] == [point for point in points if chr(point).isspace()]
    assert browser["apart"] == [point for point in points if len(cut_runs(f"a{chr(point)}a")) > 1]
    assert browser["alpha"] == [point for point in points if chr(point).isalpha()]
    small = {str(point): chr(point).lower() for point in points if chr(point).lower() != chr(point)}
    assert browser["lower"] == small


def test_the_committed_vectors_are_what_python_counts():
    """tests/js reads the same file, so that the browser's side is held without Python."""
    for vector in json.loads(VECTORS.read_text(encoding="utf-8")):
        assert_equal(counting.by_python(vector["case"]), vector["expected"], vector["case"])
