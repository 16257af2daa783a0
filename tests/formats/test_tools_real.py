"""Real exports of annotation tools are read as they are meant: texts, summaries, states and who wrote what."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from epitome.formats.answers import Authors
from epitome.formats.columns import read_table_head
from epitome.formats.faults import Fault
from epitome.formats.guess import guess_mapping
from epitome.formats.options import ImportOptions
from epitome.formats.reading import InputFile, UnreadableFile, input_file
from epitome.formats.records import SourceRecord
from epitome.formats.registry import detect_format
from epitome.formats.row_references import AUTHOR
from epitome.formats.sources import read_sources

KEY = "of the project"
WHO = Authors(KEY)


@pytest.fixture
def exports(shared: Path) -> Path:
    folder = shared / "data" / "peer-exports"
    if not folder.is_dir():
        pytest.skip(f"exports of other tools not found in {folder}")
    return folder


def read_guessed(path: Path, texts: Path | None = None, **changes) -> tuple[InputFile, list[SourceRecord]]:
    """The file with its notes and its sources, with columns as the preview matches them."""
    file = input_file(path, texts=input_file(texts) if texts else None)
    kind = detect_format(file)
    head = read_table_head(file, kind)
    mapping = guess_mapping(head.rows, head.columns, has_texts=texts is None) | changes
    options = ImportOptions(kind, mapping=mapping, row_ids="id" not in mapping, exact_mapping=True, pseudonym_key=KEY)
    file = replace(file, notes=type(file.notes)())
    units = list(read_sources(file, options))
    assert all(isinstance(unit, SourceRecord) for unit in units), [str(u) for u in units if isinstance(u, Fault)]
    return file, [unit.cut() for unit in units]


def summaries_of(sources: list[SourceRecord], key: str = "doc") -> Counter:
    """(text id, pseudonym, summary) of every reference; the text id stands in the metadata where key says so."""
    found: Counter = Counter()
    for source in sources:
        name = json.loads(source.metadata_json).get(key, source.external_id) if key else source.external_id
        for reference in source.references:
            found[name, reference.raw_extra.get(AUTHOR, ""), reference.summary] += 1
    return found


def texts_of(sources: list[SourceRecord]) -> set[str]:
    from epitome.text.sentences import join_segments

    return {join_segments(source.segments) for source in sources}


def left_out_of(sources: list[SourceRecord]) -> Counter:
    return sum((Counter(source.left_out) for source in sources), Counter())


def notes_of(file: InputFile) -> str:
    return "\n".join(file.notes.as_list())


def stored_text(sources: list[SourceRecord]) -> str:
    """All that would be stored beside the texts."""
    return json.dumps([[s.metadata_json, [r.raw_extra for r in s.references]] for s in sources])


def expect(exports: Path, tool: str) -> dict:
    return json.loads((exports / tool / "expected.json").read_text())


@pytest.mark.parametrize("name", ["summaries-json.json", "summaries-json-annotated.json"])
def test_label_studio_tasks(exports, name):
    expected = expect(exports, "label-studio-1.23.2")
    file, sources = read_guessed(exports / "label-studio-1.23.2" / name)

    wanted = Counter(
        (item["doc"], WHO.of(item["who"]), item["summary"])
        for item in expected["projects"]["summaries"]["json"]["summaries"]
    )
    assert summaries_of(sources) == wanted
    has_draft_only = "annotated" not in name
    assert texts_of(sources) == set(expected["sources"].values()) - (
        set() if has_draft_only else {expected["sources"]["archive-6"]}
    )
    assert left_out_of(sources) == {"skipped": 1} | ({"draft": 1} if has_draft_only else {})
    assert "@example.com" not in stored_text(sources)
    for kind in ("choices", "marks", "ratings"):
        assert f"{kind} are not imported" in notes_of(file)


@pytest.mark.parametrize("name", ["summaries-json_min.json", "summaries-csv.csv", "summaries-tsv.csv"])
def test_label_studio_rows(exports, name):
    expected = expect(exports, "label-studio-1.23.2")
    _file, sources = read_guessed(exports / "label-studio-1.23.2" / name)

    wanted = Counter(
        (item["doc"], WHO.of(item["who"]), item["summary"])
        for item in expected["projects"]["summaries"]["json"]["summaries"]
    )
    assert summaries_of(sources) == wanted
    assert texts_of(sources) == set(expected["sources"].values()) - {expected["sources"]["school-4"]}


@pytest.mark.parametrize("name", ["minutes-json.json", "minutes-json_min.json", "minutes-csv.csv"])
def test_label_studio_dialogues(exports, name):
    expected = expect(exports, "label-studio-1.23.2")["projects"]["minutes"]
    file, sources = read_guessed(exports / "label-studio-1.23.2" / name)

    wanted = Counter((doc, WHO.of(who), text) for doc, who, text in expected['summaries (control "minutes")'])
    assert summaries_of(sources) == wanted
    turns = [[turn["speaker"], turn["text"]] for turn in sources[0].segments]
    assert turns == expected["sources"]["talk-1"]
    assert [turn["text"] for turn in sources[1].segments] == [text for _speaker, text in reversed(turns)]
    if name == "minutes-json.json":
        assert "rankings are not imported" in notes_of(file)


@pytest.mark.parametrize("name", ["buckets-json.json", "buckets-json_min.json", "buckets-csv.csv"])
def test_rankings_of_label_studio_are_no_summaries(exports, name):
    _file, sources = read_guessed(exports / "label-studio-1.23.2" / name)
    assert len(sources) == 2
    assert summaries_of(sources) == {}


def doccano_wanted(expected: dict) -> Counter:
    return Counter((doc, text) for doc, texts in expected.items() for text in texts)


@pytest.mark.parametrize(
    "name", ["seq2seq-shared-jsonl.zip", "seq2seq-shared-json.zip", "seq2seq-shared-jsonl__all.jsonl"]
)
def test_doccano_shared(exports, name):
    expected = expect(exports, "doccano-1.8.4")
    file, sources = read_guessed(exports / "doccano-1.8.4" / name)

    found = summaries_of(sources)
    assert {author for _doc, author, _text in found} == {""}
    wanted = doccano_wanted(expected["seq2seq-shared (all annotators in one)"]["summaries"])
    assert {(doc, text) for doc, _author, text in found} == set(wanted)
    assert sum(found.values()) == 7  # two people wrote the same words about the wolf
    assert texts_of(sources) == set(expected["sources"].values())
    assert "comments are not imported" in notes_of(file)


@pytest.mark.parametrize("name", ["seq2seq-shared-csv.zip", "seq2seq-shared-csv__all.csv"])
def test_texts_that_doccano_joined_in_a_cell_are_left_out(exports, name):
    file, sources = read_guessed(exports / "doccano-1.8.4" / name)
    bridge = "The old bridge opens again, below the planned cost, but stays closed to heavy lorries."
    assert summaries_of(sources) == {("bridge-2", "", bridge): 1}
    assert left_out_of(sources) == {"unknown": 3}
    assert "export as JSONL" in notes_of(file)


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_doccano_with_a_file_for_each_person(exports, kind):
    expected = expect(exports, "doccano-1.8.4")["seq2seq-each (one file per member in a zip)"]
    _file, sources = read_guessed(exports / "doccano-1.8.4" / f"seq2seq-each-{kind}.zip")

    wanted = Counter(
        (doc, WHO.of(who), text) for who in ("ann1", "ann2") for doc, texts in expected[who].items() for text in texts
    )
    if kind == "csv":  # the two texts of one person in one cell
        wanted = Counter({key: n for key, n in wanted.items() if key[0] != "river-5"})
        assert left_out_of(sources)["unknown"] == 1
    assert summaries_of(sources) == wanted
    assert {source.split for source in sources} == {""}
    assert "ann1" not in stored_text(sources)


@pytest.mark.parametrize("kind", ["spans", "spans-relations", "classes"])
def test_labels_of_doccano_are_no_summaries(exports, kind):
    _file, sources = read_guessed(exports / "doccano-1.8.4" / f"{kind}-jsonl.zip")
    assert len(sources) == 6
    assert summaries_of(sources) == {}


ARGILLA = "argilla-2.8.0"


def argilla_wanted(expected: dict) -> Counter:
    people = {1: expected["users"]["1"], 2: expected["users"]["1"][:-1] + "2"}
    return Counter((doc, WHO.of(people[who]), text) for doc, who, text in expected["summaries_submitted"])


@pytest.mark.parametrize(
    "name", ["to_list_flatten.json", "to_datasets.jsonl", "to_datasets.parquet", "to_dict_flatten_names.json"]
)
def test_argilla_columns(exports, name):
    expected = expect(exports, ARGILLA)
    file, sources = read_guessed(exports / ARGILLA / name)

    assert summaries_of(sources, "") == argilla_wanted(expected)
    assert left_out_of(sources) == {"draft": 1, "discarded": 1}
    assert texts_of(sources) == set(expected["sources"].values())
    assert expected["users"]["1"] not in stored_text(sources)
    assert "ratings are not imported" in notes_of(file)


def test_argilla_records_without_states(exports):
    expected = expect(exports, ARGILLA)
    file, sources = read_guessed(exports / ARGILLA / "to_json.json")

    assert summaries_of(sources, "") >= argilla_wanted(expected)
    assert "drafts and discarded texts cannot be told" in notes_of(file) and "to_datasets" in notes_of(file)
    assert texts_of(sources) == set(expected["sources"].values())


POTATO = "potato-2.12.1"


@pytest.mark.parametrize("name", ["jsonl/annotations.jsonl", "csv/annotations.csv", "tsv/annotations.tsv"])
def test_potato_exports_with_the_texts_of_its_data_file(exports, name):
    expected = expect(exports, POTATO)
    _file, sources = read_guessed(
        exports / POTATO / "exported" / name, texts=exports / POTATO / "project" / "data" / "items.jsonl"
    )
    wanted = Counter((doc, WHO.of(who), text) for doc, who, text in expected["summaries"])
    assert summaries_of(sources, "") == wanted
    assert "writer_one" not in stored_text(sources)


@pytest.mark.parametrize("who", ["writer_one", "writer_two"])
def test_potato_state_of_a_person(exports, who):
    expected = expect(exports, POTATO)
    project = exports / POTATO / "project"
    _file, sources = read_guessed(
        project / "annotation_output" / who / "user_state.json", texts=project / "data" / "items.jsonl"
    )
    wanted = Counter((doc, WHO.of(name), text) for doc, name, text in expected["summaries"] if name == who)
    assert summaries_of(sources, "") == wanted


def test_potato_without_its_texts_names_the_file_that_has_them(exports):
    with pytest.raises(UnreadableFile, match=r"data file.*--text-from"):
        read_guessed(exports / POTATO / "exported" / "csv" / "annotations.csv")


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("pearmut-1.1.6/annotations.json", "Pearmut"),
        ("factgenie-1.2.1/0-0-reader_one-1795791655.jsonl", "factgenie"),
        ("factgenie-1.2.1/test-sysa.jsonl", "factgenie"),
    ],
)
def test_judgments_of_outputs_are_no_sources(exports, name, tool):
    with pytest.raises(UnreadableFile, match=tool):
        detect_format(input_file(exports / name))
