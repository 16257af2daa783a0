"""The range that a request wants of each attribute, how far a draft is from it, and how rules are aimed elsewhere."""

from dataclasses import replace

import pytest

from epitome.measures import Value
from epitome.schema import load_preset
from epitome.systems.config import parse_config
from epitome.systems.protocol import Request
from epitome.systems.refine.moved_ranges import aim_request, move_aims
from epitome.systems.refine.ranges import WantedRange, distance_to_range, list_wanted_ranges
from epitome.systems.registry import make_system
from tests.refine.factories import TEXT, refine_toml, request_of


def ranges_of(request, bands=None):
    return {row.attribute.key: (row.low, row.high, row.unit) for row in list_wanted_ranges(request, bands or {})}


def request_for(schema, segments, **values):
    return Request(id="s", segments=segments, values=values, schema=load_preset(schema))


def test_a_band_in_words_is_taken_as_it_is():
    assert ranges_of(request_of(length="normal")) == {"length": (21, 40, "words")}


def test_a_band_in_shares_is_taken_of_the_words_that_the_request_is_about():
    hundred = {"speaker": "", "text": " ".join(["word"] * 99 + ["ferry"])}
    other = {"speaker": "", "text": " ".join(["else"] * 100)}

    whole = request_for("macsum-doc", (hundred, other), length="normal")
    about_ferries = request_for("macsum-doc", (hundred, other), length="normal", topic=("ferry",))

    assert ranges_of(whole)["length"] == (18, 23, "words")
    assert ranges_of(about_ferries) == {"length": (9, 11, "words"), "topic": (1.0, None, "")}


def test_bins_are_ranges_by_their_edges_and_the_last_one_is_open():
    segments = ({"speaker": "", "text": TEXT},)

    found = [ranges_of(request_for("ccsbench", segments, length=value))["length"] for value in "014"]

    assert found == [(0, 50, "words"), (51, 100, "words"), (201, None, "words")]


def test_speakers_are_followed_where_half_of_the_words_are_theirs_unless_the_configuration_says_otherwise():
    segments = ({"speaker": "Chair", "text": TEXT},)
    request = request_for("macsum-dial", segments, speaker=("Chair",))

    assert ranges_of(request) == {"speaker": (0.5, None, "")}
    assert ranges_of(request, {"speaker": {"any": (0.8, 1.0)}}) == {"speaker": (0.8, 1.0, "")}


def test_what_has_no_measure_or_no_range_is_left_to_the_model_with_the_reason():
    segments = ({"speaker": "", "text": TEXT},)
    rows = list_wanted_ranges(request_for("ccsbench", segments, focus="high", readability="high"), {})

    assert {row.attribute.key: row.reason for row in rows} == {
        "readability": "neither the schema nor [options.bands] gives a range for its value",
        "focus": "it has no measure",
    }


@pytest.mark.parametrize(
    ("number", "low", "high", "distance"),
    [(10, 10, 20, 0), (20, 10, 20, 0), (25, 10, 20, 0.5), (5, 10, 20, 0.5), (0.4, 0.5, None, 0.2), (0, 1, 1, 1.0),
     (9, None, 6, 0.5)],
)  # fmt: skip
def test_the_distance_is_in_widths_of_the_range(number, low, high, distance):
    wanted = WantedRange(load_preset("macsum-doc").attributes[0], "words", low, high)

    assert distance_to_range(Value.of(number), wanted) == pytest.approx(distance)
    assert distance_to_range(Value.none("no tagger"), wanted) == 1.0


def test_an_aim_moves_by_the_miss_and_goes_on_from_where_it_was():
    (wanted,) = list_wanted_ranges(request_of(), {})

    first = move_aims({}, [wanted], {"length": Value.of(20)}, ["length"])
    second = move_aims(first, [wanted], {"length": Value.of(12)}, ["length"])
    aimed = aim_request(request_of(), [wanted], second)

    assert first == {"length": (2, 14)} and second == {"length": (4, 16)}, "the middle of 8 to 20 is 14"
    band = aimed.schema.attribute("length").band("short")
    assert (band.of, band.low, band.high) == ("words", 4, 16) and aimed.values == request_of().values


def test_an_aim_never_falls_below_one_word():
    (wanted,) = list_wanted_ranges(request_of(), {})

    assert move_aims({}, [wanted], {"length": Value.of(300)}, ["length"]) == {"length": (1.0, 13.0)}


@pytest.mark.parametrize("base", ["lead", "controlled-extract"])
def test_rules_are_run_again_with_another_aim_and_no_prompt(base):
    system = make_system(parse_config(refine_toml(f'system = "{base}"\nkeep = "best"', "")))
    long_sentence = {"speaker": "", "text": " ".join(["The council voted on the old bridge"] * 4) + "."}
    request = replace(request_of(), segments=(long_sentence, {"speaker": "", "text": "Ferries stay until April now."}))

    (output,) = system.generate([request])

    assert len(output.steps) > 1 or output.decoding["refine"]["stopped"] == "satisfied"
    assert all("aims" in step and not step["turns"] for step in output.steps[1:]) and output.prompt == ""
    assert output.decoding["refine"]["base"] == base and output.usage["calls"] == len(output.steps)
