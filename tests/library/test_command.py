"""The command `epitome` as a terminal shows it: results on stdout, one line for a fault, an exit status."""

import json
import subprocess
import sys

import pytest

from epitome.cli.commands import LIBRARY_COMMANDS
from tests.guards.checkout import ROOT
from tests.metrics.macsum_small import entries, write

JUDGEMENTS = [
    (1, "rater1", "yes"),
    (1, "rater2", "yes"),
    (2, "rater1", "no"),
    (2, "rater2", "yes"),
    (3, "rater1", "no"),
    (3, "rater2", "no"),
]
CASES = [{"gold": -1, "contrastives": [{"rule": "G-N", "score": -2}, {"rule": "S-N", "score": 0}]}]
PAPERS = [{"prediction": "An engine runs.", "reference": "The engine runs.", "requested": {"keywords": ["engine"]}}]


def write_lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.fixture
def judgements(tmp_path):
    rows = [
        {"item_id": item, "rater": rater, "question": "fluent", "answer": answers}
        for item, rater, answers in JUDGEMENTS
    ]
    return write_lines(tmp_path / "judgements.jsonl", rows)


def test_measure_and_predict_need_no_database(call, tmp_path):
    small = write(tmp_path, entries())
    output = tmp_path / "lead.jsonl"
    status, out, _ = call("predict", "lead", small, "--output", output, "--json")
    assert (status, json.loads(out)) == (0, {"system": "lead", "samples": 6, "output": str(output)})

    status, out, err = call("measure", small, "--predictions", output, "--json")
    assert (status, json.loads(out)["samples"]) == (0, 6)
    assert {"cer", "rouge", "signature"} <= set(json.loads(out))
    assert "Measuring" in err
    assert "Length short" in call("measure", small)[1]


def test_agreement_of_json_lines_and_csv_is_the_same(call, judgements, tmp_path):
    table = tmp_path / "judgements.csv"
    lines = [f"{item},{rater},fluent,{answers}" for item, rater, answers in JUDGEMENTS]
    table.write_text("\n".join(["item_id,rater,question,answer", *lines]) + "\n")
    first, second = call("agreement", judgements, "--json"), call("agreement", table, "--json")
    assert first[:2] == second[:2]
    assert json.loads(first[1])["questions"]["fluent"]["percent"]["value"] == pytest.approx(2 / 3)
    assert "Cohen's kappa" in call("agreement", judgements)[1]


@pytest.mark.models
def test_agreement_can_estimate_the_truth_and_who_is_reliable(call, tmp_path):
    pytest.importorskip("crowdkit", reason="crowd-kit comes with the analysis extra")
    rows = [
        {"item_id": item, "rater": rater, "question": question, "answer": answer}
        for item in range(12)
        for rater, answer in (("a", item % 2 == 0), ("b", item % 2 == 0), ("guesser", item < 6))
        for question, answer in (("good", answer), ("all-yes", True))
    ]
    judged = write_lines(tmp_path / "judged.jsonl", rows)
    status, out, _ = call("agreement", judged, "--truth", "mace", "--json")
    good = json.loads(out)["questions"]["good"]
    assert status == 0 and good["answers"] == {str(item): item % 2 == 0 for item in range(12)}
    assert good["reliability"]["guesser"] < good["reliability"]["a"]
    assert "needs two raters and two answers" in json.loads(out)["questions"]["all-yes"]["undefined"]
    text = call("agreement", judged, "--truth", "dawid-skene")[1]
    assert "guesser  0." in text and "n/a: question 'all-yes'" in text


def test_tables_of_rows(call, tmp_path):
    lists = tmp_path / "lists.csv"
    lists.write_text('id,scores,gold\na,"[3, 2, 1]","[true, false, true]"\nb,"[3, 2, 1]","[false, true, false]"\n')
    status, out, _ = call("rank", lists, "--k", "2", "--json", "--bootstrap", "50")
    scores = json.loads(out)["scores"]
    assert (status, scores["map"]["value"]) == (0, pytest.approx(((1 + 2 / 3) / 2 + 1 / 2) / 2))
    assert "replicates:50" in scores["map"]["signature"]
    cases = write_lines(tmp_path / "cases.jsonl", CASES)
    assert json.loads(call("contrastive", cases, "--json")[1])["scores"]["dodged"]["value"] == 50
    assert "score:mean" in call("contrastive", cases, "--score", "mean")[1]
    papers = write_lines(tmp_path / "papers.jsonl", PAPERS)
    assert r"rougeL & .667" in call("ccsbench", papers, "--format", "latex")[1]


@pytest.mark.parametrize(
    ("words", "content", "message"),
    [
        (["measure"], None, "epitome: rows.jsonl: cannot be read: No such file or directory"),
        (["measure"], "[1]", "epitome: rows.jsonl, line 1"),
        (["agreement"], '{"item_id": 1}\n', "epitome: rows.jsonl, line 1"),
        (["predict", "lead"], "[]", "epitome: rows.jsonl, line 1: holds no sample"),
        (["predict", "nobody"], json.dumps(entries()), 'epitome: there is no system "nobody"'),
        (["rank"], "", "epitome: rows.jsonl: holds no rows"),
        (["rank"], '{"scores": [1], "gold": [true, false]}\n', "rows.jsonl: 1 scores of 0 and 2 gold marks"),
        (["rank"], "{\n", "epitome: rows.jsonl, line 1: is not JSON"),
        (["contrastive"], '{"gold": 1}\n', "rows.jsonl: case 0: contrastives is None"),
        (["ccsbench"], '{"text": "a"}\n', "rows.jsonl: row 0: prediction is None, not a text"),
        (["ccsbench"], "\xff", "epitome: rows.jsonl"),
    ],
)
def test_a_fault_is_one_line_and_status_1(call, tmp_path, words, content, message):
    file = tmp_path / "rows.jsonl"
    if content is not None:
        file.write_bytes(content.encode("latin-1"))
    more = ["--output", tmp_path / "out.jsonl"] if words[0] == "predict" else []
    status, out, err = call(*words, file, *more)
    assert (status, out) == (1, "")
    assert message in err.replace(f"{tmp_path}/", "")
    assert len(err.splitlines()) == 1
    assert "Traceback" not in err


@pytest.mark.parametrize("words", [["rank", "x", "--k", "0"], ["measure", "x", "--seed", "-1"], ["nothing"], []])
def test_a_wrong_call_is_status_2(call, words):
    status, out, err = call(*words)
    assert (status, out) == (2, "")
    assert err and "Traceback" not in err


def test_a_fault_of_ours_is_no_traceback_either(call, monkeypatch, judgements):
    def fail(_arguments):
        raise RuntimeError("something broke")

    broken = LIBRARY_COMMANDS["agreement"]._replace(run=fail)
    monkeypatch.setitem(LIBRARY_COMMANDS, "agreement", broken)
    assert call("agreement", judgements) == (
        70, "", "epitome: RuntimeError: something broke. This is a fault of Epitome; EPITOME_TRACEBACK=1 shows where\n",
    )  # fmt: skip


def test_the_web_is_missing_in_words(call, monkeypatch):
    monkeypatch.setattr("epitome.cli.site.find_spec", lambda name: None)
    status, _, err = call("demo")
    assert status == 1
    assert "pip install 'epitome[web]'" in err


def test_start_lists_every_setting_of_production_that_is_missing(tmp_path):
    command = [sys.executable, "-m", "epitome", "start"]
    env = {"EPITOME_DATA_DIR": str(tmp_path), "PATH": ""}
    plain = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert plain.returncode == 1
    *lines, summary = plain.stderr.splitlines()
    example = dict(line.split("=", 1) for line in lines if not line.startswith("#"))
    names = ["EPITOME_ENV", "EPITOME_SECRET_KEY", "EPITOME_HOSTS", "DATABASE_URL", "EPITOME_PASSWORD_RESETS"]
    assert list(example) == names
    assert summary == f"epitome: settings that production needs are missing: {', '.join(names)}"

    env |= example | {"EPITOME_HOSTS": ""}
    bare = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert bare.returncode == 1
    assert bare.stderr.endswith("are missing: EPITOME_HOSTS\n")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_names_every_command_and_option(call, shell):
    status, out, _ = call("completion", shell)
    assert status == 0
    for word in ("measure", "serve", "eps-policy", "provenance"):
        assert word in out


def test_bash_completes_with_the_script(call):
    script = call("completion", "bash")[1]
    ask = 'COMP_WORDS=(epitome rank --b) COMP_CWORD=2; _epitome; echo "${COMPREPLY[@]}"'
    completed = subprocess.run(["bash", "-c", f"{script}\n{ask}"], capture_output=True, text=True)
    assert (completed.stdout, completed.stderr) == ("--bootstrap\n", "")
