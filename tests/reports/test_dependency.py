"""What one changed request does: drawn by seed, measured against the system's own first output."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from epitome.measures import spacy_tagger
from epitome.reports.amplitude import run_amplitude_study
from epitome.reports.dependency import changeable_attributes, draw_changes, run_study
from epitome.schema import load_preset
from epitome.systems.protocol import Request
from tests.formats import papers_tables as papers

SCHEMA = load_preset("macsum-doc")
WORDS = {"short": 4, "normal": 8, "long": 16}


def request(number: int, source: int, length: str, topic: str) -> Request:
    values = {"length": length, "extractiveness": "normal", "specificity": "normal", "topic": (topic,) if topic else ()}
    segments = ({"speaker": "", "text": "The budget was cut and the roof leaks in many rooms of the old town hall."},)
    return Request(f"s{source}#{number}", segments, values, SCHEMA)


REQUESTS = [
    request(number, number // 2, ("short", "normal", "long")[number % 3], ("budget", "roof")[number % 2])
    for number in range(12)
] + [request(12, 99, "short", "")]


def by_length(_system, requests):
    """A system that follows length and nothing else."""
    return [" ".join(["word"] * (WORDS[other_request.value("length")] - 1)) + " budget." for other_request in requests]


def test_draws_depend_on_the_seed_alone_and_change_one_attribute():
    first = draw_changes(REQUESTS, n=5, seed=3)
    assert first == draw_changes(REQUESTS, n=5, seed=3)
    assert first != draw_changes(REQUESTS, n=5, seed=4)
    for change in first:
        differing = [key for key in change.original.values if change.original.values[key] != change.changed.values[key]]
        assert differing == [change.attribute]
    assert {change.attribute for change in first} == {"length", "extractiveness", "specificity", "topic"}


def test_a_topic_is_changed_to_one_of_the_same_source_and_never_where_none_was_asked():
    topics = [change for change in draw_changes(REQUESTS, n=50, seed=1) if change.attribute == "topic"]
    assert len(topics) == 12
    assert {change.changed.picks("topic") for change in topics} == {("budget",), ("roof",)}


def test_only_what_the_system_follows_moves():
    study = run_study(None, draw_changes(REQUESTS, n=50, seed=1), spacy_tagger(), by_length, name="fake", seed=1)
    at = {row[0].value: [cell.value for cell in row[2:]] for row in study.table.rows}
    assert at["Len"][0] > 0.3
    for code in ("Ext", "Spe"):
        assert at[code] == [0, 0, 0, 0]
    assert study.figure.cells[0][0] == pytest.approx(at["Len"][0])
    assert study.amplitudes.rows[1][1].value == 0


@pytest.fixture
def file(tmp_path):
    rows = [
        {"length": "short", "extractiveness": "normal", "specificity": "normal", "topic": ""},
        {"length": "long", "extractiveness": "high", "specificity": "high", "topic": ""},
    ]
    source = ["The budget was cut by 4 million.", "The roof leaks in many rooms of the old town hall.", "Rain came in."]
    same = {"summary": "The budget was cut.", "title": "Cuts", "relevant_turns": [[0, 1]]}
    about = {"dataset": "cnndm", "split": "dev", "file_id": 1}
    results = [{"control_attribute": row, **same} for row in rows]
    path = tmp_path / "dev.json"
    path.write_text(json.dumps([{"metadata": about, "source": source, "references": results}]))
    return path


def printed(*options):
    out = StringIO()
    call_command("dependency_study", *options, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_the_command_prints_both_tables_in_every_format_and_draws_the_matrix(file, tmp_path):
    same = ("lead", str(file), "--n", "2")
    tables = json.loads(printed(*same, "--format", "json"))["tables"]
    assert [table["key"] for table in tables] == ["dependency", "amplitude"]
    assert all("algorithm:dependency@1|draw:1" in table["signature"] for table in tables)
    pieces = {"latex": r"\toprule", "csv": "Changed,", "html": "<table", "text": "change amplitude"}
    for format_, piece in pieces.items():
        assert piece in printed(*same, "--format", format_, "--figure", str(tmp_path / "m.svg"))
    assert (tmp_path / "m.svg").read_text().startswith("<")


def test_a_system_nobody_knows_is_refused_by_name(file):
    with pytest.raises(CommandError, match="nobody"):
        call_command("dependency_study", "nobody", str(file))


def test_the_amplitude_of_a_schema_without_length_bins_is_refused(file):
    with pytest.raises(CommandError, match="length bins"):
        call_command("dependency_study", "lead", str(file), "--measure", "ca")


PAPERS = load_preset("ccsbench")


def paper_request(number: int, length: str, readability: str) -> Request:
    values = {"length": length, "readability": readability, "keywords": (f"word{number}",)}
    return Request(f"p{number // 2}#{number}", ({"speaker": "", "text": "A paper."},), values, PAPERS)


def test_amplitudes_of_a_system_that_follows_length_alone():
    requests = [paper_request(number, str(number % 3), ("normal", "high")[number % 2]) for number in range(12)]

    def by_bin(_system, asked):
        return [" ".join(["word"] * (int(item.value("length")) * 50 + 20)) + "." for item in asked]

    changes = draw_changes(requests, n=50, seed=1, attributes=changeable_attributes(PAPERS))
    assert {change.attribute for change in changes} == {"length", "keywords", "readability"}
    table, figure = run_amplitude_study(None, changes, by_bin, name="fake", seed=1)
    at = {row[0].value: [cell.value for cell in row[2:]] for row in table.rows}
    assert at["Rea"][0] == 0 and at["Key"][0] == 0  # the lengths stay what they were
    assert at["Len"][0] == pytest.approx(0, abs=0.05)  # and follow the new requests as well as the old
    assert figure.rows == ["Len", "Key", "Rea"] and "draw:1" in table.signature


def test_a_table_of_papers_is_studied_under_its_preset(tmp_path):
    path = tmp_path / "test.csv"
    path.write_text(papers.as_csv())
    tables = json.loads(printed("lead", str(path), "--n", "2", "--preset", "ccsbench", "--format", "json"))["tables"]
    assert [row[0]["value"] for row in tables[0]["rows"]] == ["Len", "Rea"]
    with pytest.raises(CommandError, match="say with --preset"):
        printed("lead", str(path))


def test_a_file_that_asks_for_nothing_measured_is_refused(tmp_path):
    path = tmp_path / "test.csv"
    path.write_text("id,text,summary\na,Some words.,Words.\n")
    with pytest.raises(CommandError, match="asks for an attribute"):
        printed("lead", str(path), "--preset", "ccsbench")
