"""Entities and tags in the cells of a table."""

import pytest

from epitome.formats.options import ImportOptions
from epitome.formats.reading import input_file
from epitome.formats.sources import read_sources
from tests.formats.helpers import records, rows, text_of, write


def read(tmp_path, texts, kind):
    if kind == "csv":
        content = "id,text\n" + "".join(f'{n},"{text}"\n' for n, text in enumerate(texts))
    else:
        content = rows(*({"id": str(n), "text": text} for n, text in enumerate(texts)))
    file = input_file(write(tmp_path, content, f"in.{kind}"))
    units = records(list(read_sources(file, ImportOptions(kind))))
    return [text_of(unit) for unit in units], file.notes.as_list()


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_column_of_markup_is_read_as_text_with_a_remark(tmp_path, kind):
    texts, notes = read(tmp_path, ["<p>Wind &amp; sea.</p><p>Calm.</p>", "It<br/>rains."], kind)
    assert texts == ["Wind & sea.\nCalm.", "It\nrains."]
    assert notes == ["tags such as <p> in the column text are stripped"]


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_column_of_entities_is_decoded_with_a_remark(tmp_path, kind):
    texts, notes = read(tmp_path, ["Wind &amp; sea, 5 &lt; 6.", "It rains.", "Caf&eacute; &#8211; open."], kind)
    assert texts == ["Wind & sea, 5 < 6.", "It rains.", "Café – open."]
    assert notes == ["entities such as &amp; in the column text are decoded"]


@pytest.mark.parametrize(
    "texts",
    [
        ["Write &amp; for an ampersand, as in R&D.", "It rains."],
        ["The tag <p> begins a paragraph.", "It rains."],
        ["<unk> is a token.", "<unk> again."],
    ],
)
def test_a_column_in_which_some_text_speaks_of_markup_stays(tmp_path, texts):
    read_texts, notes = read(tmp_path, texts, "jsonl")
    assert read_texts == texts
    assert not any("column text" in note for note in notes)


def test_a_row_without_a_tag_keeps_its_lines(tmp_path):
    texts = ["<p>It rains.</p>"] * 50 + ["One.\n\nTwo  words."]
    assert read(tmp_path, texts, "jsonl")[0][-1] == "One.\n\nTwo  words."


def test_tags_are_stripped_where_nearly_all_texts_have_them_and_the_others_are_counted(tmp_path):
    texts = ["<p>It rains.</p>"] * 19 + ["One.\n\nTwo words.", "<p>It snows.</p>", "Three < four."]
    read_texts, notes = read(tmp_path, texts, "jsonl")
    assert (read_texts[0], read_texts[19], read_texts[21]) == ("It rains.", texts[19], texts[21])
    assert notes == [
        "tags such as <p> in the column text are stripped",
        "line 20 and 1 more: the column text has no tags here, so that the text stays as it is",
    ]


def test_tags_of_a_part_of_the_texts_stay(tmp_path):
    texts = ["<p>It rains.</p>"] * 8 + ["One.", "Two."]
    read_texts, notes = read(tmp_path, texts, "jsonl")
    assert read_texts == texts
    assert not any("tags" in note for note in notes if "column" in note)


def test_a_plain_text_that_shows_tags_keeps_them(tmp_path):
    file = input_file(write(tmp_path, "They write <b>so</b> in HTML.", "a.txt"))
    (unit,) = records(list(read_sources(file, ImportOptions("text"))))
    assert text_of(unit) == "They write <b>so</b> in HTML."


def test_summaries_are_decoded_too(tmp_path):
    entry = {"id": "a", "text": "It rains a lot.", "sum": ["<b>Rain</b>.", "<i>Wet</i> &amp; cold."]}
    file = input_file(write(tmp_path, rows(entry)))
    (unit,) = records(list(read_sources(file, ImportOptions("jsonl", mapping={"summary": "sum"}))))
    assert [reference.summary for reference in unit.references] == ["Rain.", "Wet & cold."]
