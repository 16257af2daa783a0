"""The worked examples of the guidelines keep to the ranges that the presets give."""

import re

import pytest

from epitome.schema import guideline_text, load_preset

EXAMPLE = re.compile(r"\*\*Example (\d+)\.\*\*(.*)\n\*(.+)\*\n(.*)")


def segments(text: str) -> list[str]:
    quoted = [line[2:] for line in text.splitlines() if line.startswith("> ")]
    if len(quoted) > 1:
        return [line.split(" : ", 1)[1] for line in quoted]
    return re.split(r"(?<=\.) (?=[A-Z])", quoted[0])


def relevant(told: str, parts: list[str]) -> list[str]:
    """The segments that "Relevant: turns 2 to 6" or "sentences 6 and 7" name; all of them where none are named."""
    match = re.match(r"Relevant: (?:turns?|sentences?) (\d+(?:(?:, | and | to )\d+)*)(?!\d)(?! words)", told)
    if not match:
        return parts
    first_to_last = re.match(r"(\d+) to (\d+)", match[1])
    if first_to_last:
        return parts[int(first_to_last[1]) - 1 : int(first_to_last[2])]
    return [parts[int(number) - 1] for number in re.findall(r"\d+", match[1])]


@pytest.mark.parametrize(("preset", "least"), [("macsum-doc", 8), ("short-articles", 8), ("macsum-dial", 6)])
def test_good_examples_are_as_long_as_asked(preset, least):
    text = guideline_text(preset)
    length = load_preset(preset).attribute("length")
    result = segments(text)
    checked = 0
    for number, request, summary, answer in EXAMPLE.findall(text):
        match = re.search(r"Length (\w+)", request)
        if match is None:
            continue
        words = sum(len(item.split()) for item in relevant(answer, result))
        low, high = length.band_words(match[1], words)
        assert low <= len(summary.split()) <= high, f"example {number}: {low} to {high}"
        checked += 1
    assert checked >= least


@pytest.mark.parametrize("preset", ["macsum-doc", "short-articles", "macsum-dial"])
def test_fully_extractive_examples_are_lifted_from_the_source(preset):
    text = guideline_text(preset)
    source = " ".join(segments(text))
    results = [
        summary for _number, request, summary, _answer in EXAMPLE.findall(text) if "Extractiveness full" in request
    ]
    assert results
    for summary in results:
        assert all(piece.strip() in source for piece in summary.split(";"))
