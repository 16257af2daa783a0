"""How the commands answer a call: examples in the help, the usage of the command, and what a wrong call lacks."""

import json
import shlex
import sys

import pytest

from epitome.cli.commands import LIBRARY_COMMANDS
from epitome.cli.main import build_parser, main
from tests.library.test_command import JUDGEMENTS, write_lines

EXAMPLES = [example for command in LIBRARY_COMMANDS.values() for example in command.examples]


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_is_a_call_that_can_be_parsed(example):
    program, *words = shlex.split(example)
    assert program == "epitome"
    assert build_parser(words[0]).parse_args(words).command == words[0]


@pytest.mark.parametrize("name", LIBRARY_COMMANDS)
def test_every_help_shows_two_or_three_examples(call, name):
    status, out, _ = call(name, "--help")
    examples = LIBRARY_COMMANDS[name].examples
    assert status == 0 and 2 <= len(examples) <= 3
    shown = out.partition("\nexamples:\n")[2]
    assert [line.strip() for line in shown.splitlines()] == list(examples)


def test_a_wrong_option_shows_the_usage_of_its_command(call):
    status, out, err = call("rank", "lists.jsonl", "--system")
    assert (status, out) == (2, "")
    assert err.startswith("usage: epitome rank [-h]")
    assert err.endswith("epitome rank: unrecognized arguments: --system. Examples: epitome rank --help\n")


def test_predict_without_a_system_lists_those_that_write(call):
    status, _, err = call("predict")
    assert status == 2
    keys = (
        "bart-large-cnn, chat, controlled-extract, lead, random, refined-chat, smollm2-chat, smollm2-macsum, textrank"
    )
    assert f"KEY is one of {keys}; CONFIG" in err
    assert "rank-frequency" not in err and "chat-judge" not in err
    assert "KEY is one of" in " ".join(call("predict", "--help")[1].split())


def test_a_plan_without_a_judge_needs_no_correlation(call):
    words = ["plan", "--budget", 20, "--minutes", 2, "--items", 500, "--rate", 0.7]
    status, out, _ = call(*words)
    assert status == 0
    assert "people only" in out and "judge" not in out
    plan = json.loads(call(*words, "--json")[1])
    assert {need["way"] for need in plan["needs"]} == {"people"}
    assert {entry["way"] for step in plan["curve"] for entry in step["plans"]} == {"people"}
    priced = ["plan", "--budget", 20, "--price", 1, "--judge-price", 0.01, "--items", 500, "--rate", 0.7]
    assert "give --correlation of people and judge too" in call(*priced)[2]
    assert "people and judge" in call(*words, "--correlation", 0.8)[1]


def test_agreement_of_one_question_is_told_once(call, tmp_path):
    rows = [{"item_id": item, "rater": rater, "question": "fluent", "answer": word} for item, rater, word in JUDGEMENTS]
    one = write_lines(tmp_path / "one.jsonl", rows)
    assert call("agreement", one)[1].count("percent agreement") == 1
    two = write_lines(tmp_path / "two.jsonl", [*rows, *({**row, "question": "on topic"} for row in rows)])
    out = call("agreement", two)[1]
    assert out.count("percent agreement") == 3 and "All questions pooled" in out


@pytest.mark.parametrize("text", ["{;,,}", '[{"text": ]', '{"text": "a", "summary": "b"}\n{"text" "c"}\n'])
def test_broken_json_is_called_broken_json(call, tmp_path, text):
    file = tmp_path / "rows.json"
    file.write_text(text)
    status, _, err = call("measure", file)
    assert status == 1
    assert "is not JSON" in err and "preset" not in err


def test_excel_tables_are_read_or_the_extra_is_named(call, tmp_path, monkeypatch):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (
        ("item_id", "rater", "question", "answer"),
        *((item, who, "q", word) for item, who, word in JUDGEMENTS),
    ):
        book.active.append(row)
    file = tmp_path / "judgements.xlsx"
    book.save(file)
    lines = write_lines(
        tmp_path / "same.jsonl",
        [{"item_id": item, "rater": who, "question": "q", "answer": word} for item, who, word in JUDGEMENTS],
    )
    assert call("agreement", file, "--json")[:2] == call("agreement", lines, "--json")[:2]
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    message = "judgements.xlsx: needs the package openpyxl to be read: pip install 'epitome[office]'; or save it as CSV"
    assert call("agreement", file) == (1, "", f"epitome: {message}\n")


def test_a_dry_run_without_torch_says_what_it_takes(call, tmp_path, monkeypatch):
    monkeypatch.setattr("epitome.training.shipped.missing_libraries", lambda: "torch, peft")
    words = ["reproduce", "macsum-table-4", "--state", tmp_path / "state", "--data", tmp_path]
    status, out, _ = call(*words, "--dry-run")
    assert status == 0
    assert "missing: torch, peft; install with: make install-models" in out
    assert "missing: there is no macdoc/train.json" in out
    assert "facebook/bart-large-cnn (406 million parameters)" in out
    assert "one NVIDIA H200 took at most 6.8 hours and 10.7 GiB" in out
    status, _, err = call(*words)
    assert status == 1 and err.startswith("epitome: reproduce needs torch, peft;")


def test_a_fault_of_the_call_ends_with_status_2():
    with pytest.raises(SystemExit) as end:
        main(["measure"])
    assert end.value.code == 2
