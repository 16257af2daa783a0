"""One example of each layout of each tool: two texts with three human summaries, and what must not become one."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from epitome.formats.columns import read_table_head
from epitome.formats.guess import guess_mapping
from epitome.formats.notes import Notes
from epitome.formats.options import ImportOptions
from epitome.formats.reading import input_file
from epitome.formats.records import SourceRecord
from epitome.formats.registry import detect_format
from epitome.formats.row_references import AUTHOR
from epitome.formats.sources import read_sources
from epitome.formats.tool_exports import TOOLS
from tests.formats.helpers import records, text_of, write

EXAMPLES = Path(__file__).parent / "tools"
TEXTS = {
    "The harbour board met on Monday 🐺 and agreed to widen the north pier. "
    "Work begins in spring and will last two years.",
    "A bakery in the old town closed after forty years. The owner wants to travel and to write a book about bread.",
}
PIER, PIER_TOO = (
    "The board will widen the pier from spring on.",
    "From spring the north pier is made wider over two years.",
)
BAKERY = "An old bakery closed because its owner wants to travel."
LAYOUTS = [
    ("label-studio.json", "label-studio", {"skipped": 1, "rejected": 1, "draft": 1}),
    ("doccano.zip", "zip", {}),
    ("doccano-approved.jsonl", "doccano", {"draft": 1}),
    ("argilla.json", "argilla", {"draft": 1, "discarded": 1}),
    ("argilla-1.jsonl", "argilla", {"discarded": 1}),
    ("argilla-columns.jsonl", "argilla", {"draft": 1}),
    ("potato.jsonl", "potato", {}),
    ("potato.tsv", "potato", {}),
    ("prodigy.jsonl", "prodigy", {"rejected": 1}),
    ("mturk.csv", "mturk", {"rejected": 2}),
    ("mturk-elements.csv", "mturk", {"rejected": 1}),
    ("toloka.tsv", "toloka", {"rejected": 1}),
]
PEOPLE = ("ann", "ben", "cara", "dan", "boss", "@example.org", "WANN", "digest-", "u-")


def read_guessed(path: Path) -> tuple[list[SourceRecord], list[str]]:
    """The sources of a file, with columns as the preview matches them, and the remarks about it."""
    file = input_file(path)
    kind = detect_format(file)
    head = read_table_head(file, kind)
    mapping = guess_mapping(head.rows, head.columns)
    options = ImportOptions(kind, mapping=mapping, row_ids="id" not in mapping, exact_mapping=True, pseudonym_key="k")
    file = replace(file, notes=Notes())
    units = list(read_sources(file, options))
    assert all(isinstance(unit, SourceRecord) for unit in units), list(map(str, units))
    return [unit for unit in units if isinstance(unit, SourceRecord)], file.notes.as_list()


@pytest.mark.parametrize(("name", "kind", "left_out"), LAYOUTS)
def test_an_example_of_each_layout(name, kind, left_out):
    sources, _notes = read_guessed(EXAMPLES / name)

    assert detect_format(input_file(EXAMPLES / name)) == kind
    written = {text_of(source): [reference.summary for reference in source.references] for source in sources}
    assert written.keys() >= TEXTS
    assert sorted(map(sorted, filter(None, written.values()))) == [[BAKERY], sorted([PIER, PIER_TOO])]
    assert sum((Counter(source.left_out) for source in sources), Counter()) == left_out
    authors = {reference.summary: reference.raw_extra[AUTHOR] for source in sources for reference in source.references}
    assert authors[PIER] != authors[PIER_TOO]
    assert len(set(authors.values())) == 2, "the first and third are by one person"


@pytest.mark.parametrize(("name", "_kind", "_left_out"), LAYOUTS)
def test_nobody_who_worked_is_named_in_what_is_stored(name, _kind, _left_out):
    sources, _notes = read_guessed(EXAMPLES / name)
    stored = json.dumps([[s.metadata_json, s.title, s.split, [r.raw_extra for r in s.references]] for s in sources])
    assert [person for person in PEOPLE if f'"{person}' in stored or (person[0] == "@" and person in stored)] == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("label-studio.json", ["choices are not", "notes on marked parts", "models predicted"]),
        ("doccano.zip", ["comments are not"]),
        ("argilla.json", ["ratings are not", "suggestions of models"]),
        ("potato.jsonl", ["choices and ratings are not"]),
        ("prodigy.jsonl", ["choices are not"]),
        ("mturk.csv", ["columns about assignments and workers are not"]),
    ],
)
def test_what_is_not_imported_is_counted(name, words):
    _sources, notes = read_guessed(EXAMPLES / name)
    assert [word for word in words if not any(word in note for note in notes)] == []


def test_every_tool_has_its_example():
    assert [tool.name for tool in TOOLS if not (EXAMPLES / tool.example).is_file()] == []
    assert {tool.example for tool in TOOLS} <= {name for name, _kind, _left_out in LAYOUTS}


def test_marks_of_evidence_are_relevant_segments_in_code_points():
    sources, _notes = read_guessed(EXAMPLES / "label-studio.json")
    by_summary = {r.summary: r.relevant_segments for source in sources for r in source.references}
    assert by_summary == {PIER: [1], PIER_TOO: [], BAKERY: []}


def test_the_title_of_a_hit_is_no_title_and_further_columns_of_the_task_stay():
    sources, _notes = read_guessed(EXAMPLES / "mturk.csv")
    assert {(source.external_id, source.title) for source in sources} == {("m1", ""), ("m2", "")}
    assert "Answer.rating" in sources[0].metadata_json or sources[0].references[0].raw_extra["Answer.rating"] == "4"


def test_nothing_is_approved_so_that_all_is_read_with_a_remark(tmp_path):
    entry = {"id": 1, "text": PIER, "label": [BAKERY], "annotation_approver": None}
    sources, notes = read_guessed(write(tmp_path, json.dumps(entry) + "\n", "all.jsonl"))
    assert [reference.summary for reference in sources[0].references] == [BAKERY]
    assert any("approved by nobody" in note for note in notes)


def test_labels_of_a_text_stay_labels_in_a_table(tmp_path):
    content = f"id,text,label,Comments\n1,{PIER},traffic#weather,\n2,{BAKERY},traffic,\n"
    sources, _notes = read_guessed(write(tmp_path, content, "all.csv"))
    assert [source.references for source in sources] == [[], []]
    assert json.loads(sources[0].metadata_json) == {"label": "traffic#weather"}


def test_an_address_in_the_place_of_the_text_is_a_fault_unless_the_texts_are_given(tmp_path):
    task = {"id": 7, "data": {"text": "s3://bucket/a.txt"}, "annotations": [{"completed_by": 1, "result": []}]}
    path = write(tmp_path, json.dumps([task]), "tasks.json")
    (fault,) = read_sources(input_file(path), ImportOptions("label-studio", mapping={"id": "id", "text": "text"}))
    assert "address of a file" in fault.message and "--text-from" in fault.message

    texts = input_file(write(tmp_path, json.dumps({"id": "7", "text": PIER}) + "\n", "texts.jsonl"))
    options = ImportOptions("label-studio", mapping={"id": "id", "text": "text"})
    (source,) = read_sources(input_file(path, texts=texts), options)
    assert text_of(source) == PIER


TYPED = {"from_name": "kommentar", "type": "textarea", "id": "k"}


def type_texts(**texts: str) -> list[dict]:
    """What one person typed in Label Studio, by control."""
    return [{**TYPED, "from_name": name, "id": name, "value": {"text": [text]}} for name, text in texts.items()]


def test_several_columns_of_longer_texts_are_named_where_no_name_tells(tmp_path):
    long, longer = "A comment of six words here.", f"{PIER} {PIER_TOO}"
    task = {
        "id": 1,
        "data": {"text": f"{PIER} {BAKERY}"},
        "annotations": [{"result": type_texts(eins=long, zwei=longer)}],
    }
    (source,), notes = read_guessed(write(tmp_path, json.dumps([task]), "tasks.json"))
    assert [reference.summary for reference in source.references] == [longer]
    assert any("several columns (eins, zwei)" in note for note in notes)

    task["annotations"] = [{"result": type_texts(eins=longer, my_summary=long)}]
    (source,), notes = read_guessed(write(tmp_path, json.dumps([task]), "tasks.json"))
    assert [reference.summary for reference in source.references] == [long]
    assert not any("several columns" in note for note in notes)


def test_a_further_text_that_was_not_submitted_is_not_kept_beside_the_source(tmp_path):
    annotations = [
        {"completed_by": 1, "result": type_texts(summary=PIER, headline="A pier grows")},
        {"completed_by": 2, "was_cancelled": True, "result": type_texts(headline="Rubbish")},
    ]
    task = {"id": 1, "data": {"text": f"{PIER} {BAKERY}"}, "annotations": annotations}
    (source,), _notes = read_guessed(write(tmp_path, json.dumps([task]), "tasks.json"))
    assert json.loads(source.metadata_json) == {"headline": ["A pier grows"]}


def test_argillas_columns_in_a_csv_of_pandas(tmp_path):
    """Lists as Python prints them, and a row of one answer without a list."""
    header = "id,text,summary.responses,summary.responses.users,summary.responses.status\n"
    rows = (
        f"1,{PIER},\"['The pier grows.', 'A draft.']\",\"['u1', 'u2']\",\"['submitted', 'draft']\"\n"
        f"2,{PIER.replace('Monday', 'Friday')},The pier grows wider.,u1,submitted\n"
    )
    file = input_file(write(tmp_path, header + rows, "records.csv"))
    assert detect_format(file) == "argilla"
    options = ImportOptions(format="argilla", mapping={"id": "id", "text": "text", "summary": "summary.responses"})
    first, second = records(list(read_sources(file, options)))
    assert [reference.summary for reference in first.references] == ["The pier grows."]
    assert first.left_out == {"draft": 1}
    assert [reference.summary for reference in second.references] == ["The pier grows wider."]
