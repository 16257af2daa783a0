"""The fields of the attribute editor: form -> TOML -> form gives the same declaration."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epitome.schema import PRESETS, SchemaError, parse_schema, preset_text
from epitome.schema.attribute_fields import (
    AttributeFields,
    ValueFields,
    as_form_data,
    find_place,
    from_form_data,
    read_attributes,
    read_head,
    write_attributes,
)

HEAD = 'key = "own"\nname = "Own"\ndomain = "dialogue"\n'
TEXT = preset_text("macsum-dial")


def parsed(text):
    return parse_schema(text, needs_attributes=False)


def changed(number, **values):
    attributes = read_attributes(TEXT)
    attributes[number] = replace(attributes[number], **values)
    return write_attributes(TEXT, attributes)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_that_nobody_changed_stays_as_it_is(preset):
    text = preset_text(preset)
    assert write_attributes(text, from_form_data(as_form_data(read_attributes(text)))) == text


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_written_anew_declares_the_same(preset):
    text = preset_text(preset)
    attributes = [replace(attribute, origin="") for attribute in read_attributes(text)]
    assert parsed(write_attributes(text, attributes)).attributes == parsed(text).attributes


words = st.text(st.sampled_from("abcdé ü\n漢'\"#=[].,"), min_size=1, max_size=12).filter(str.strip)
lines = words.map(lambda text: " ".join(text.split()))
names = st.from_regex(r"[a-z][a-z0-9_]{3,12}", fullmatch=True)
numbers = st.sampled_from(["", "0", "1", "0.5", "2.25", "7"])


@st.composite
def value_rows(draw, kind):
    spellings = draw(st.lists(lines, min_size=1, max_size=4, unique_by=str.casefold))
    rows = []
    for place, value in enumerate(spellings):
        of = draw(st.sampled_from(["", "words", "relevant_words", "measure"]))
        low = draw(st.sampled_from(["", "0", "1", "0.25"]))
        rows.append(
            ValueFields(
                value=value,
                label=draw(st.one_of(st.just(""), lines)),
                guide=draw(st.one_of(st.just(""), words)),
                example=draw(st.one_of(st.just(""), words)),
                of=of,
                low=low if of else "",
                high=draw(st.sampled_from(["", "2", "3.5"])) if of else "",
                edge=str(10 * (place + 1)) if kind == "bins" else "",
                weight=draw(st.sampled_from(["1", "2.5"])),
                prompt=draw(st.one_of(st.just(""), lines)),
            )
        )
    return rows


@st.composite
def declared(draw):
    kind = draw(st.sampled_from(["ordinal", "bins", "keywords", "speakers"]))
    rows = draw(value_rows(kind)) if kind in ("ordinal", "bins") else []
    return AttributeFields(
        key=draw(names),
        label=draw(lines),
        kind=kind,
        measure=draw(st.sampled_from(["", "length"])),
        guide=draw(words),
        question=draw(st.one_of(st.just(""), words)),
        prompt=draw(st.sampled_from(["", "Value : {value}"])),
        min_picks="" if rows else draw(st.sampled_from(["", "0", "2"])),
        max_picks="" if rows else draw(st.sampled_from(["", "4"])),
        anchor=draw(st.sampled_from(["", *map(str, range(len(rows)))])),
        values=rows,
    )


@given(st.lists(declared(), max_size=3, unique_by=lambda one: one.key))
def test_any_declaration_comes_back_from_its_text(attributes):
    attributes = [replace(first, code=f"x{number}") for number, first in enumerate(attributes)]
    text = write_attributes(HEAD, from_form_data(as_form_data(attributes)))
    try:
        parsed(text)
    except SchemaError as error:
        assert error.path[:1] == ("attribute",) and find_place(error, attributes).attribute is not None
        return
    again = read_attributes(text)
    assert [replace(item, origin="") for item in again] == attributes
    assert write_attributes(text, again) == text


@given(st.permutations(range(5)), st.integers(0, 4))
def test_moved_and_removed_attributes_keep_what_they_declare(order, n_kept):
    state_before = parsed(TEXT)
    attributes = read_attributes(TEXT)
    head = replace(read_head(TEXT), hp="")
    text = write_attributes(TEXT, [attributes[place] for place in order[: n_kept + 1]], head)
    assert parsed(text).attributes == tuple(state_before.attributes[place] for place in order[: n_kept + 1])
    assert text.startswith("# MACSum for meetings") and "# Two blanks before Length" in text


def test_a_changed_guide_changes_nothing_else():
    text = changed(0, guide="Count words.")
    assert text.replace("Count words.", read_attributes(TEXT)[0].guide) == TEXT


def test_the_head_is_written_beside_its_comments():
    text = write_attributes(TEXT, read_attributes(TEXT), replace(read_head(TEXT), name="Ours", hp="{length} {source}"))
    assert (parsed(text).name, parsed(text).prompts.hp) == ("Ours", "{length} {source}")
    assert "# Two blanks before Length" in text and parsed(text).attributes == parsed(TEXT).attributes


def test_an_empty_question_stays_with_its_comment():
    assert 'question = ""                # counted, not asked' in changed(0, guide="Count words.")


def test_a_renamed_value_takes_its_guide_band_and_baseline_along():
    attributes = read_attributes(TEXT)
    attributes[0].values[1].value = "middle"
    length = parsed(write_attributes(TEXT, attributes)).attribute("length")
    state_before = parsed(TEXT).attribute("length")
    assert length.values == ("short", "middle", "long") and length.anchor == "middle"
    assert length.value_guide("middle") == state_before.value_guide("normal")
    assert length.band("middle") == state_before.band("normal") and length.weights["middle"] == 224


def test_a_topic_becomes_values_and_back():
    rows = [ValueFields(value="few"), ValueFields(value="many")]
    text = changed(3, kind="ordinal", values=rows)
    topic = parsed(text).attribute("topic")
    assert (topic.kind, topic.values, topic.filled_by, topic.max_picks) == ("ordinal", ("few", "many"), "sampler", 0)


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"low": "much"}, "low"),
        ({"low": "0.9"}, "low"),
        ({"of": "share"}, "of"),
        ({"weight": "often"}, "weight"),
        ({"guide": "<b>short</b>"}, "guide"),
        ({"label": "x" * 61}, "label"),
        ({"aliases": "normal"}, "aliases"),
    ],
)
def test_a_fault_is_found_at_its_field(row, field):
    attributes = read_attributes(TEXT)
    attributes[0].values[0] = replace(attributes[0].values[0], **row)
    with pytest.raises(SchemaError) as caught:
        parsed(write_attributes(TEXT, attributes))
    place = find_place(caught.value, attributes)
    assert (place.attribute, place.value, place.field) == (0, 0, field)


@pytest.mark.parametrize(("field", "value"), [("key", ""), ("label", " "), ("code", "much too long"), ("guide", "")])
def test_a_fault_of_an_attribute_is_found_at_its_field(field, value):
    attributes = read_attributes(TEXT)
    attributes[2] = replace(attributes[2], **{field: value})
    with pytest.raises(SchemaError) as caught:
        parsed(write_attributes(TEXT, attributes))
    place = find_place(caught.value, attributes)
    assert (place.attribute, place.value, place.field) == (2, None, field)
