"""`predict`: one line per sample in file order, or one line that says why not and no file."""

import json

import pytest
from django.core.management import CommandError, call_command

from epitome.formats.reading import input_file
from epitome.systems.fakes import echo_of
from epitome.systems.files import read_requests
from tests.bridge.conftest import fake_toml
from tests.formats import papers_tables as papers


def entry(number, length="short", n=2, text="The council met. "):
    control = {"length": length, "extractiveness": "fully", "specificity": "normal", "topic": "bridge , vote"}
    return {
        "metadata": {"dataset": "cnndm", "split": "test", "file_id": number},
        "source": [text + "It voted on the bridge."] * (number + 1),
        "references": [{"control_attribute": control, "summary": "A vote.", "title": "t"}] * n,
    }


@pytest.fixture
def file(tmp_path):
    """Sources of rising length, so that the order of work is not the order of the file."""
    path = tmp_path / "test.json"
    path.write_text(json.dumps([entry(number) for number in range(5)]))
    return path


def predict(system, file, output, **options):
    call_command("predict", str(system), str(file), output=str(output), **options)
    return [json.loads(line) for line in output.read_text().splitlines()]


def test_lines_come_in_file_order_and_say_sample_and_system(file, tmp_path):
    config = tmp_path / "echo.toml"
    config.write_text(fake_toml(batch_size=3))
    lines = predict(config, file, tmp_path / "out.jsonl")

    from epitome.formats.reading import input_file

    requests = read_requests(input_file(file))
    assert [line["sample_id"] for line in lines] == [f"cnndm-test-{n}#{i}" for n in range(5) for i in range(2)]
    assert [line["prediction"] for line in lines] == [echo_of(request) for request in requests]
    assert {line["system"] for line in lines} == {"echo"}
    assert requests[0].values["extractiveness"] == "full" and requests[0].picks("topic") == ("bridge", "vote")


def test_the_predictions_feed_measure(file, tmp_path, capsys):
    predict("lead", file, tmp_path / "out.jsonl")
    call_command("measure", str(file), "--predictions", str(tmp_path / "out.jsonl"), "--json")
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["cer"]["length"] >= 0


def test_provenance_is_written_when_asked_for(file, tmp_path):
    line = predict("textrank", file, tmp_path / "out.jsonl", provenance=True)[0]
    assert line["decoding"]["damping"] == 0.85 and line["versions"]["numpy"] and line["told"] == {"length": "short"}


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("led", 'there is no system "led"'),
        (fake_toml(counts="fewer"), "outputs for"),
        ('[system]\nkey = "a"\nkind = "lead"\n[options]\nx = 1\n', "mine.toml, line 5: options.x: unknown key"),
        ('[system]\nkey = "a"\nkind = "upload"\n', "runs elsewhere"),
    ],
)
def test_what_fails_is_one_line_and_leaves_no_file(file, tmp_path, config, said):
    if "\n" in config:
        (tmp_path / "mine.toml").write_text(config)
        config = tmp_path / "mine.toml"
    output = tmp_path / "out.jsonl"
    output.write_text("as it was")
    with pytest.raises(CommandError) as refusal:
        predict(config, file, output)
    assert said in str(refusal.value) and len(str(refusal.value)) <= 500 and "\n" not in str(refusal.value)
    assert output.read_text() == "as it was"
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".part")] == []


def test_one_sample_that_fails_costs_no_other_its_prediction(tmp_path):
    file, config, output = tmp_path / "test.json", tmp_path / "mine.toml", tmp_path / "out.jsonl"
    file.write_text(json.dumps([entry(0, n=1), entry(1, n=1, text="[raise] "), entry(2, n=1)]))
    config.write_text(fake_toml())

    with pytest.raises(CommandError, match=r"^2 predictions are in out\.jsonl, the other samples failed: .*cannot be"):
        predict(config, file, output)

    ids = [request.id for request in read_requests(input_file(file))]
    assert [json.loads(line)["sample_id"] for line in output.read_text().splitlines()] == [ids[0], ids[2]]


def test_a_faulty_file_is_named_with_its_place(tmp_path):
    path = tmp_path / "bad.json"
    path.write_text(json.dumps([entry(0), {**entry(1), "references": [{"summary": "x"}]}]))
    with pytest.raises(CommandError, match=r"bad\.json, line 1, .*control_attribute.*is missing"):
        predict("lead", path, tmp_path / "out.jsonl")


@pytest.mark.parametrize("name", ["test.csv", "test.json", "export.jsonl"])
def test_a_file_of_another_schema_is_predicted_and_measured(tmp_path, capsys, name):
    shapes = {"test.csv": papers.as_csv, "test.json": papers.as_macsum, "export.jsonl": papers.as_epitome1}
    path = tmp_path / name
    path.write_text(shapes[name]())
    lines = predict("lead", path, tmp_path / "out.jsonl", preset="ccsbench")
    assert len(lines) == 3 and all(line["prediction"] for line in lines)
    call_command("measure", str(path), "--preset", "ccsbench", "--predictions", str(tmp_path / "out.jsonl"), "--json")
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["mad"] == 0


def test_a_preset_that_is_none_is_told(file, tmp_path):
    with pytest.raises(CommandError, match="neither one of macsum-doc"):
        predict("lead", file, tmp_path / "out.jsonl", preset="led")
