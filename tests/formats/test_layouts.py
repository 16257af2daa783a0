"""Every layout of docs/importing.md, by an example of our own in the shape of the data set's."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from epitome.formats.columns import read_table_head
from epitome.formats.guess import asks_for_speakers, build_attribute_tests, guess_columns
from epitome.formats.layouts import describe_layouts, list_layouts
from epitome.formats.options import ImportOptions
from epitome.formats.reading import input_file
from epitome.formats.registry import detect_format, has_columns
from epitome.formats.sources import read_sources
from epitome.formats.tool_exports import describe_tools
from epitome.schema import load_preset
from tests.formats.helpers import records, text_of

EXAMPLES = Path(__file__).parent / "layouts"
PAGE = Path(__file__).parents[2] / "docs" / "importing.md"
PIER, BAKERY = (
    "The board will widen the pier from spring on.",
    "An old bakery closed because its owner wants to travel.",
)
EXPECTED = {
    "xsum": {"29750031": [PIER], "29750032": [BAKERY]},
    "cnndm": {"0a1": ["Pier to be widened .\nWork begins in spring ."], "0a2": [BAKERY]},
    "samsum": {"138": ["Ann and Ben meet at noon."]},
    "dialogsum": {"test_0": ["They meet at noon.", "The pier is closed.", "They give up the pier."]},
    "mediasum": {"NPR-1": ["A guest says that the pier is closed."]},
    "scitldr": {"p1": ["Wooden piers weaken within forty years.", "A study of how salt water ages piers."]},
    "arxiv": {"1": ["piers age . wood loses strength ."]},
    "govreport": {"govreport-1": [PIER]},
    "multinews": {"multinews-1": ["– A pier is widened and a bakery closed."]},
    "summeval": {"dm-test-1": [PIER, "The pier is made wider."]},
    "summeval_machine": {"dm-test-1": [PIER, "The pier is made wider."]},
    "newsroom": {"newsroom-1": [PIER]},
    "aclsum": {"E00-1": ["Piers age in salt water.", "They test wood for forty years.", "Wood loses strength."]},
    "aclsum_hub": {
        "aclsum_hub-1": ["Piers age in salt water.", "They test wood for forty years.", "Wood loses strength."]
    },
    "gem": {"xsum-test-1": [PIER], "xsum-train-2": [BAKERY]},
    "billsum": {"110_hr1": [PIER]},
    "bigpatent": {"US-1": ["A pier that is wide."]},
    "reddit_tifu": {"reddit_tifu-1": [PIER]},
    "wikihow": {"wikihow-2": ["Measure the pier.\nWiden the pier."]},
    "xlsum": {"p-1": [PIER]},
    "mlsum": {"mlsum-1": [PIER]},
    "gigaword": {"gigaword-1": ["board widens pier"]},
    "mqm": {"1": [], "2": []},
    "mturk": {"a": [PIER]},
}
READ_ELSEWHERE = {
    "ccsbench": "tests/sources/test_tables_of_summaries.py",
    "macsum": "tests/formats/test_macsum.py",
    "qmsum": "tests/formats/test_qmsum.py",
}
"""Layouts with tests of their own: formats of their own, and texts in another file."""


def read_example(name, preset="macsum-doc"):
    """What is guessed of an example, and its sources."""
    [path] = EXAMPLES.glob(f"{name}.*")
    file = input_file(path)
    # A list is MACSum's only by what its entries have; see test_macsum.
    kind = "json" if path.suffix == ".json" else detect_format(file)
    assert has_columns(kind)
    schema = load_preset(preset)
    head = read_table_head(file, kind)
    guess = guess_columns(
        head.rows, head.columns, build_attribute_tests(schema), needs_speakers=asks_for_speakers(schema)
    )
    options = ImportOptions(
        kind,
        mapping=guess.mapping,
        row_ids="id" not in guess.mapping,
        exact_mapping=True,
        summary_lists=guess.summary_lists,
        schema=schema,
    )
    return guess, {record.external_id: record for record in records(list(read_sources(file, options)))}


@pytest.mark.parametrize("name", EXPECTED)
def test_the_example_of_a_layout_is_read_without_a_mapping(name):
    guess, sources = read_example(name)
    if name not in ("govreport", "multinews", "newsroom"):  # a text's number is that of its row
        assert sources.keys() == EXPECTED[name].keys()
    summaries = [[reference.summary for reference in source.references] for source in sources.values()]
    assert summaries == list(EXPECTED[name].values())
    assert guess.doubts == []


def test_every_layout_has_an_example_and_every_example_a_layout():
    names = {layout.name for layout in list_layouts()}
    assert names == EXPECTED.keys() | READ_ELSEWHERE.keys()
    assert {path.stem for path in EXAMPLES.iterdir()} >= EXPECTED.keys()
    for path in READ_ELSEWHERE.values():
        assert (Path(__file__).parents[2] / path).exists()


def test_the_page_has_the_table_of_layouts():
    assert describe_layouts() in PAGE.read_text(encoding="utf-8")


def test_the_page_has_the_table_of_tools():
    assert describe_tools() in PAGE.read_text(encoding="utf-8")


def test_turns_of_examples_have_their_speakers():
    for name in ("samsum", "dialogsum", "mediasum"):
        [source] = read_example(name, "macsum-dial")[1].values()
        assert len({turn["speaker"] for turn in source.segments} - {""}) == 2, name


def test_the_aspect_of_a_summary_is_kept():
    for name in ("aclsum", "aclsum_hub"):
        [source] = read_example(name)[1].values()
        aspects = [reference.raw_extra["aspect"] for reference in source.references]
        assert aspects == ["challenge", "approach", "outcome"]


def test_the_highlights_of_an_aspect_are_the_segments_of_its_summary():
    [source] = read_example("aclsum", "aclsum")[1].values()
    assert [reference.relevant_segments for reference in source.references] == [[0, 2], [0], [1, 3]]
    assert [reference.attributes for reference in source.references] == [
        {"aspect": "challenge"},
        {"aspect": "approach"},
        {"aspect": "outcome"},
    ]
    assert "highlights" not in json.loads(source.metadata_json)


def test_marks_of_examples_are_taken_out():
    assert "|||||" not in text_of(*read_example("multinews")[1].values())
    assert not any("<v>" in text_of(source) for source in read_example("mqm")[1].values())


def test_outputs_and_ratings_stay_with_the_source():
    [source] = read_example("summeval")[1].values()
    metadata = json.loads(source.metadata_json)
    assert metadata["model_id"] == ["M0", "M1", "M2"]
    assert [ratings[0]["coherence"] for ratings in metadata["expert_annotations"]] == [1, 4, 5]
    assert source.left_out == {"repeated": 4}


def test_the_released_papers_of_aclsum_have_a_summary_for_each_aspect():
    folder = find_spec("aclsum")
    places = folder.submodule_search_locations if folder is not None else None
    if not places:
        pytest.skip("the package aclsum, which has the data, is not installed")
    file = input_file(Path(places[0]) / "dataset" / "val.jsonl")
    head = read_table_head(file, detect_format(file))
    guess = guess_columns(head.rows, head.columns)
    options = ImportOptions(mapping=guess.mapping, exact_mapping=True)
    for source in records(list(read_sources(file, options))):
        aspects = [reference.raw_extra["aspect"] for reference in source.references]
        assert aspects == ["challenge", "approach", "outcome"]
        assert len(source.segments) > 10
        assert all(reference.relevant_segments for reference in source.references)
