"""Tables of the papers from beginning to end with tiny random weights: the same way as with the real ones."""

import json

import pytest

from epitome.cli.main import main
from epitome.cli.reproduce import TABLES
from epitome.reproduction import predicting
from epitome.reproduction.predicting import predict_split
from epitome.reproduction.tables import list_tables, load_table
from epitome.reproduction.weights_needed import published_weights
from epitome.reproduction.workplace import root_bases, training_chain
from epitome.systems.batching import Batcher
from epitome.systems.neural.weights import FOLDERS
from epitome.training.shipped import shipped_trainings

pytestmark = pytest.mark.models
LEAD = '[system]\nkey = "lead"\nkind = "lead"\nname = "First sentences"\n'


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    """One folder for all tables: what one has trained, another reuses."""
    return tmp_path_factory.mktemp("reproduction")


@pytest.fixture
def call(capsys, monkeypatch):
    """call(words) -> (status, stdout, stderr)"""
    monkeypatch.delenv("EPITOME_TRACEBACK", raising=False)
    monkeypatch.delenv(FOLDERS, raising=False)

    def run(*words):
        try:
            status = main(["reproduce", *(str(word) for word in words)])
        except SystemExit as end:
            status = end.code
        return status, *capsys.readouterr()

    return run


def rows_of(out):
    return {row["key"]: row for row in json.loads(out)["rows"]}


def test_the_command_offers_every_declared_table():
    assert list_tables() == TABLES


@pytest.mark.parametrize("key", TABLES)
def test_every_row_of_a_table_is_printed_and_says_how_it_is_made(key):
    table = load_table(key)
    assert table.row_keys == tuple(row.key for row in table.published.rows)
    for row in table.rows:
        assert sum(map(bool, (row.training, row.system, row.references, row.elsewhere, row.parts))) == 1


def test_hp_sp_of_documents_is_trained_after_hp_from_the_same_weights():
    assert training_chain("hp-sp-macdoc") == ["hp-macdoc", "hp-sp-macdoc"]
    assert root_bases("hp-sp-macdoc") == ["facebook/bart-large-cnn"]
    assert training_chain("ccs-lorahub-flan-t5-xl")[-1] == "ccs-lorahub-flan-t5-xl"
    assert len(training_chain("ccs-lorahub-flan-t5-xl")) == 5


@pytest.mark.parametrize("key", TABLES)
def test_every_training_of_a_table_is_shipped_and_its_weights_have_an_address(key):
    table = load_table(key)
    trained = [part for row in table.rows for part in row.list_parts() if part.training]
    chains = [training_chain(row.training) for row in trained]
    assert {name for chain in chains for name in chain} <= set(shipped_trainings())
    bases = {base for row in trained for base in root_bases(row.training)}
    assert bases <= set(published_weights())
    assert set(table.trainings) <= {name for chain in chains for name in chain}


@pytest.mark.parametrize(
    ("key", "rows", "columns"),
    [
        ("macsum-table-4", ("gold", "hp", "hp-sp"), {"length_cer", "specificity_cc", "rougeL"}),
        ("macsum-table-5", ("sp",), {"speaker_cer", "average_cer"}),
        ("macsum-table-7", ("doc", "dial-without-cnn"), {"length_cer", "quality"}),
        ("ccsbench-table-3", ("C2", "D1"), {"rl", "mad", "sr", "delta"}),
        ("ccsbench-table-3", ("D2",), {"rl", "mad"}),
        ("ccsbench-table-4", ("single",), {"mad", "sr", "delta"}),
        ("tesa-table-4", ("random", "frequency", "logistic", "bart-pretrained", "bart-generative",
                          "bart-discriminative"), {"ap", "recall", "rr"}),
    ],
)  # fmt: skip
def test_a_table_is_trained_predicted_measured_and_stands_beside_the_paper(call, state, key, rows, columns):
    only = [word for row in rows for word in ("--only", row)]
    status, out, err = call(key, "--tiny", "--state", state, "--json", *only)

    assert status == 0, err
    lines = rows_of(out)
    assert tuple(lines) == rows
    for name, row in lines.items():
        printed = load_table(key).published.row(name).cells
        assert {column: number for column, number in row["printed"].items() if number is not None} == printed
        measured = {column for cells in row["seeds"].values() for column, cell in cells.items() if "value" in cell}
        assert columns <= measured, row["not_made"]
    assert json.loads((state / f"tiny/tables/{key}/table.json").read_text())["rows"] == json.loads(out)["rows"]


def test_gold_is_at_no_distance_from_itself(call, state):
    cells = rows_of(call("macsum-table-4", "--tiny", "--state", state, "--json", "--only", "gold")[1])["gold"]["seeds"]
    assert cells["42"]["length_cer"] == {"value": 0.0}
    assert cells["42"]["rouge1"] == {"value": 1.0}


def test_a_second_call_trains_and_predicts_nothing_again(call, state, monkeypatch):
    words = ("macsum-table-5", "--tiny", "--state", state, "--json", "--only", "sp")
    first = call(*words)[1]

    def fail(*_arguments, **_named):
        raise AssertionError("it was done again")

    monkeypatch.setattr("epitome.training.run._train_in_folder", fail)
    monkeypatch.setattr(Batcher, "run", fail)
    monkeypatch.setattr("epitome.reproduction.making.measure_texts", fail)
    status, again, err = call(*words)

    assert status == 0, err
    assert rows_of(again) == rows_of(first)
    assert json.loads(again)["cost"]["trainings"][0]["done"] is True


def test_several_seeds_have_a_spread(call, state):
    words = ("macsum-table-5", "--tiny", "--state", state, "--only", "bart", "--seeds", "1,2")
    status, out, err = call(*words, "--json")
    assert status == 0, err
    row = rows_of(out)["bart"]
    assert list(row["seeds"]) == ["1", "2"]
    numbers = [cells["length_cer"]["value"] for cells in row["seeds"].values()]
    assert row["spread"]["length_cer"] == {
        "mean": pytest.approx(sum(numbers) / 2), "low": min(numbers), "high": max(numbers), "n": 2,
    }  # fmt: skip
    assert "BART, here, mean of seeds 1, 2 (least to most)" in call(*words)[1]


def test_a_dry_run_says_what_it_takes_and_begins_nothing(call, tmp_path):
    words = ("macsum-table-4", "--tiny", "--state", tmp_path, "--dry-run", "--only", "hp-sp")
    status, out, err = call(*words, "--json")
    assert status == 0, err
    cost = json.loads(out)
    assert [training["training"] for training in cost["trainings"]] == ["hp-macdoc", "hp-sp-macdoc"]
    assert {training["updates"] for training in cost["trainings"]} == {4}
    assert {training["evaluations"] for training in cost["trainings"]} == {2}
    assert cost["hours"] > 0
    assert not (tmp_path / "tiny/trainings").exists()
    assert "hp-sp-macdoc, seed 42: 4 updates, 2 evaluations of 12 dev samples" in call(*words)[1]


def test_what_is_missing_is_named_with_where_it_is_published(call, tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDERS, str(tmp_path / "models"))
    words = ("macsum-table-4", "--state", tmp_path / "state", "--data", tmp_path, "--only", "hp")
    status, out, _err = call(*words, "--dry-run")
    assert status == 0
    assert "there is no macdoc/train.json in" in out
    assert "published at https://github.com/psunlpgroup/MACSum" in out
    assert "https://huggingface.co/facebook/bart-large-cnn" in out
    status, out, err = call(*words)
    assert (status, out) == (1, "")
    assert "4 missing, nothing was begun" in err


def test_weights_outside_of_the_operators_folders_are_not_taken(call, tmp_path, monkeypatch, folder_of):
    models = tmp_path / "models/facebook"
    models.mkdir(parents=True)
    (models / "bart-large-cnn").symlink_to(folder_of("bart"))
    monkeypatch.setenv(FOLDERS, str(tmp_path / "models"))
    out = call("macsum-table-4", "--state", tmp_path / "s", "--data", tmp_path, "--only", "hp", "--dry-run")[1]
    assert "facebook/bart-large-cnn (406 million parameters) is in none of the folders of EPITOME_MODELS_DIR" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--only", "nobody"), "--only 'nobody': macsum-table-4 has the rows gold, bart, hp, sp, hp-sp"),
        (("--seeds", "1,x"), "--seeds '1,x': give different whole numbers"),
        (("--seeds", "1,1"), "give different whole numbers"),
        (("--predictions", "hp"), "--predictions 'hp' is not ROW=FILE"),
    ],
)
def test_a_wrong_call_is_status_2(call, tmp_path, words, message):
    status, out, err = call("macsum-table-4", "--state", tmp_path, *words)
    assert (status, out) == (2, "")
    assert message in err


def test_a_row_made_elsewhere_says_so_and_takes_predictions(call, state, tmp_path):
    words = ("ccsbench-table-3", "--tiny", "--state", state, "--json", "--only", "A1")
    status, out, err = call(*words)
    assert status == 0, err
    assert rows_of(out)["A1"]["not_made"].endswith("--predictions A1=FILE")
    count = sum(
        len(entry["references"]) for entry in json.loads((state / "tiny/data/compositional/test.json").read_text())
    )
    texts = tmp_path / "texts.jsonl"
    texts.write_text('{"prediction": "Amber birch cedar."}\n' * count)
    status, out, err = call(*words, "--predictions", f"A1={texts}")
    assert status == 0, err
    assert {"rl", "mad", "sr", "fn"} <= set(rows_of(out)["A1"]["spread"])
    assert "f1" not in rows_of(out)["A1"]["spread"]
    labels = tmp_path / "labels.jsonl"
    labels.write_text('"high"\n' * count)
    status, out, err = call(*words, "--predictions", f"A1={texts}", "--labels", f"A1={labels}")
    assert status == 0, err
    assert "f1" in rows_of(out)["A1"]["spread"]
    assert call(*words, "--labels", f"Z={labels}")[0] == 2


def test_predictions_go_on_after_their_last_whole_part(request_of, tmp_path, monkeypatch):
    monkeypatch.setattr(predicting, "PART", 2)
    requests = [request_of(number) for number in range(7)]
    path = tmp_path / "predictions.jsonl"
    split = predict_split(LEAD, requests, path)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:5]) + lines[5][:9])  # two parts, a line of the third, and half of another
    items = []
    run = Batcher.run
    monkeypatch.setattr(Batcher, "run", lambda self, batch: items.append(len(batch)) or run(self, batch))

    assert predict_split(LEAD, requests, path) == split
    assert items == [2, 1]
    assert path.read_text() == "".join(lines)


def test_predictions_of_another_system_are_not_kept(request_of, tmp_path):
    requests = [request_of(number) for number in range(3)]
    path = tmp_path / "predictions.jsonl"
    path.parent.mkdir(exist_ok=True)
    predict_split(LEAD, requests, path)
    path.write_text(path.read_text().replace('"prediction": "', '"prediction": "changed '))
    assert predict_split(LEAD, requests, path)[0]["prediction"].startswith("changed")
    other = LEAD.replace("First sentences", "Another")
    assert not predict_split(other, requests, path)[0]["prediction"].startswith("changed")
