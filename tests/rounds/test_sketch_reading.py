"""The form of a round and its TOML text: what the form says goes in, what it cannot say stays."""

import tomllib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epitome.rounds.sketch_reading import list_other_targets, read_sketch, write_sketch
from epitome.rounds.templates import load_template, template_keys
from epitome.rounds.writing import Sketch, build_toml

TEMPLATE = load_template("macsum-yes-no")
TEXT = """\
# Our first round.
[round]
name = "First"              # shown to nobody
template = "macsum-yes-no"
seed = 7
apart = 4

[selection]
n = 12
domain_from = "desk"

[[target]]
kind = "gold"
[[target]]
system = "lead"   # its newest run
[[target]]
key = "bart"
run = "a1"

[exclude]
foils_failed = 0.5
"""


def changed(**values):
    sketch_before = read_sketch(TEXT, TEMPLATE)
    return write_sketch(TEXT, sketch_before, replace(sketch_before, **values))


def test_a_text_that_nobody_changed_stays_as_it_is():
    assert changed() == TEXT


def test_the_form_shows_what_the_text_says():
    sketch = read_sketch(TEXT, TEMPLATE)
    assert (sketch.name, sketch.seed, sketch.n, sketch.gold, sketch.runs) == ("First", 7, 12, True, [("a1", "bart")])
    assert sketch.raters_per_item == TEMPLATE.raters_per_item and list_other_targets(TEXT) == ["lead"]


def test_a_changed_number_changes_its_line_only():
    assert changed(n=20) == TEXT.replace("n = 12", "n = 20")


def test_another_run_leaves_targets_that_the_form_cannot_say():
    data = tomllib.loads(changed(runs=[("b2", "t5")], gold=False))
    assert data["target"] == [{"system": "lead"}, {"key": "t5", "run": "b2"}]
    assert data["exclude"] == {"foils_failed": 0.5} and data["round"]["apart"] == 4


def test_a_new_table_is_added_and_taken_out_again():
    text = changed(repeats=3)
    assert tomllib.loads(text)["quality"] == {"repeats": 3} and "# shown to nobody" in text
    sketch_after = read_sketch(text, TEMPLATE)
    assert tomllib.loads(write_sketch(text, sketch_after, replace(sketch_after, repeats=0))) == tomllib.loads(TEXT)


words = st.text(st.sampled_from("ab é\"'#[]"), min_size=1, max_size=8).filter(str.strip)
names = st.from_regex(r"[a-z]{1,8}", fullmatch=True)


@st.composite
def sketches(draw):
    stopping = draw(st.sampled_from(["", "decided", "width"]))
    stratify = draw(st.sampled_from(["", "length"]))
    runs = draw(st.lists(st.tuples(names, names), max_size=3, unique_by=lambda run: run[0]))
    return Sketch(
        name=draw(words),
        template=draw(st.sampled_from(template_keys())),
        n=draw(st.integers(1, 500)),
        raters_per_item=draw(st.integers(1, 9)),
        seed=draw(st.integers(1, 10**6)),
        gold=draw(st.booleans()),
        runs=runs,
        no_control=bool(runs) and draw(st.booleans()),
        raters=draw(st.lists(names, max_size=2, unique=True)),
        split=draw(st.sampled_from(["", "test"])),
        topics_only=draw(st.sampled_from([[], ["topic"]])),
        stratify=stratify,
        floor=draw(st.integers(0, 5)) if stratify else 0,
        reference=draw(st.sampled_from(["", "gold"])),
        pairs_by=draw(st.sampled_from(["", "length"])),
        extra=draw(st.sampled_from([[], ["fluency"]])),
        one_by_one=draw(st.booleans()),
        qualification=draw(st.integers(0, 100)),
        other_source=draw(st.integers(0, 9)),
        repeats=draw(st.integers(0, 9)),
        judges=draw(st.lists(names, max_size=2, unique=True)),
        people_share=draw(st.integers(1, 100)),
        active=draw(st.booleans()),
        stopping=stopping,
        width=draw(st.integers(1, 200)) if stopping == "width" else 0,
        extra_ratings=draw(st.integers(0, 9)),
        pause_foils_wrong=draw(st.integers(0, 9)),
        pause_seconds=draw(st.integers(0, 9)),
        pause_same_answers=draw(st.integers(0, 9)),
    )


def in_any_order(text):
    """The data with its targets sorted: new ones go behind those that stay."""
    data = tomllib.loads(text)
    return {**data, "target": sorted(map(str, data.get("target", [])))}


@given(sketches())
def test_any_form_comes_back_from_its_text(sketch):
    text = build_toml(sketch)
    assert read_sketch(text, load_template(sketch.template)) == sketch


@given(sketches(), sketches())
def test_any_form_is_written_over_any_other(first, second):
    text = "# kept\n" + build_toml(first)
    written = write_sketch(text, first, second)
    assert written.startswith("# kept")
    assert in_any_order(written) == in_any_order(build_toml(second))


@pytest.mark.parametrize("key", template_keys())
def test_every_shipped_template_has_a_form(key):
    text = f'[round]\nname = "x"\ntemplate = "{key}"\n'
    assert read_sketch(text, load_template(key)).n == load_template(key).n
