"""Answers of other tools: only submitted ones are references, who wrote them is a pseudonym, repetitions are one."""

import json

from epitome.formats.answers import Authors, find_state
from epitome.formats.options import ImportOptions
from epitome.formats.reading import input_file
from epitome.formats.sources import read_sources
from tests.formats.helpers import records, write

STATED = (
    "id,text,summary,AssignmentStatus,WorkerId\n"
    "a,The pier is widened.,Pier grows.,Approved,W1\n"
    "a,The pier is widened.,Spam.,Rejected,W2\n"
    "a,The pier is widened.,A pier.,Submitted,W3\n"
)
MAPPING = {"summary": "summary", "answer_state": "AssignmentStatus", "author": "WorkerId"}


def read(folder, content, **options):
    return records(list(read_sources(input_file(write(folder, content, "a.csv")), ImportOptions(**options))))


def test_only_answers_of_a_taken_state_are_references(tmp_path):
    [source] = read(tmp_path, STATED, mapping=MAPPING)
    assert [reference.summary for reference in source.references] == ["Pier grows.", "A pier."]
    assert source.left_out == {"rejected": 1}
    [source] = read(tmp_path, STATED, mapping=MAPPING, answer_states=("rejected",))
    assert [reference.summary for reference in source.references] == ["Spam."]
    assert source.left_out == {"submitted": 2}


def test_who_wrote_is_a_pseudonym_of_the_project(tmp_path):
    sources = [read(tmp_path, STATED, mapping=MAPPING, pseudonym_key=key)[0] for key in ("one", "one", "two")]
    authors = [[reference.raw_extra["author"] for reference in source.references] for source in sources]
    assert authors[0] == authors[1] != authors[2]
    assert len(set(authors[0])) == 2
    kept = json.dumps([reference.raw_extra for source in sources for reference in source.references])
    assert not any(name in kept for name in ("W1", "W2", "W3"))
    assert [reference.author_name for reference in sources[0].references] == ["W1", "W3"]


def test_names_and_addresses_in_other_columns_are_pseudonyms_too(tmp_path):
    table = "id,text,annotator,contact,place\na,The pier is widened.,Kim Doe,kim@example.org,Harbour\n"
    [source] = read(tmp_path, table)
    metadata = json.loads(source.metadata_json)
    assert metadata["place"] == "Harbour"
    assert metadata["annotator"] == Authors().of("kim doe ")
    assert metadata["contact"] == Authors().of("kim@example.org")


def test_a_reference_that_rows_repeat_is_one_and_what_differs_a_list(tmp_path):
    table = (
        "id,text,summary,rating\na,The pier is widened.,Pier grows.,1\n"
        "a,The pier is widened.,Pier grows.,5\na,The pier is widened.,A pier.,3\n"
    )
    [source] = read(tmp_path, table, mapping={"summary": "summary"})
    assert [(reference.summary, reference.raw_extra) for reference in source.references] == [
        ("Pier grows.", {"rating": ["1", "5"]}),
        ("A pier.", {"rating": "3"}),
    ]
    assert source.left_out == {"repeated": 1}


def test_rows_of_ratings_on_one_text_are_one_source(tmp_path):
    table = "text,rating,place\nThe pier is widened.,1,Harbour\nThe pier is widened.,5,Harbour\nIt rained.,2,Harbour\n"
    sources = read(tmp_path, table, mapping={"text": "text"}, row_ids=True)
    assert [(source.external_id, json.loads(source.metadata_json)) for source in sources] == [
        ("a-2", {"place": "Harbour", "rating": ["1", "5"]}),
        ("a-4", {"place": "Harbour", "rating": "2"}),
    ]


def test_words_for_states():
    words = ("Approved", "accept", "In progress", "timed-out", "ignore", "", "whatever")
    assert [find_state(word) for word in words] == [
        "submitted", "submitted", "draft", "discarded", "ignored", "submitted", None,
    ]  # fmt: skip
