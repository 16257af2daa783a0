"""Predictions of systems that run elsewhere: all of a file or nothing, each fault with its line."""

import json

import pytest

from annotation.services.core.errors import BadInput
from epitome.formats.reading import input_file
from modelbridge.models import Run, System, SystemOutput
from modelbridge.services.runs import outputs
from modelbridge.services.runs.predictions_upload import upload_predictions
from modelbridge.services.runs.sample_selection import complete_samples
from modelbridge.services.runs.system_requests import sample_key
from modelbridge.services.systems import systems

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]


@pytest.fixture
def send(project, tmp_path):
    def send(lines, **options):
        path = tmp_path / "pred.jsonl"
        path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
        options = {"system": "fas", "by": None, **options}
        return upload_predictions(project=project, file=input_file(path), **options)

    return send


@pytest.fixture
def keys(project):
    return [sample_key(sample) for sample in complete_samples(project).select_related("document")]


def faults(refusal):
    return [(fault["line"], fault["field"]) for fault in refusal.value.extra["faults"]]


def test_lines_go_to_the_samples_they_name_whatever_their_order(send, keys):
    run = send([{"sample_id": key, "system": "fas", "prediction": f"of {key}"} for key in reversed(keys)], system="")

    assert (run.state, run.n_samples, run.revision.kind, run.revision.system.key) == ("done", 12, "upload", "fas")
    rows = run.outputs.select_related("sample__document").order_by("position")
    assert [row.text for row in rows] == [f"of {key}" for key in keys]
    assert all(row.state == "done" and row.decoding["uploaded"] and row.weights and row.versions for row in rows)


def test_lines_without_a_name_count_and_must_be_as_many_as_the_samples(send, keys):
    run = send([json.dumps(f"text {n}") for n in range(12)])
    assert list(run.outputs.order_by("position").values_list("text", flat=True)) == [f"text {n}" for n in range(12)]
    with pytest.raises(BadInput, match="holds 11 predictions, but there are 12 samples"):
        send([json.dumps("x")] * 11)


def test_candidates_and_scores_are_kept(send):
    line = {"position": 3, "prediction": "b", "candidates": [{"text": "b", "score": 1.5}, {"text": "c", "score": -2}],
            "scores": {"gold": -3.5, "contrastive": [{"rule": "G-N", "text": "t", "score": -4}]}}  # fmt: skip
    row = send([line]).outputs.get()
    assert row.candidates == line["candidates"] and row.scores == line["scores"]


def test_one_bad_line_stores_nothing_and_every_fault_has_its_line(send, keys):
    bad = [
        {"sample_id": keys[0], "prediction": "fine"},
        {"sample_id": "nowhere#0", "prediction": "x"},
        {"sample_id": keys[0], "prediction": "again"},
        {"sample_id": keys[1], "prediction": 7},
        {"sample_id": keys[2]},
        {"position": 12, "prediction": "x"},
        {"sample_id": keys[3], "prediction": "x", "system": "other"},
        '{"sample_id": "a", "prediction": "\\ud83d"}',
        '{"prediction": "a\\u0000"}',
        '{"prediction": NaN}',
        "not json",
    ]
    with pytest.raises(BadInput) as refusal:
        send(bad)
    assert faults(refusal)[:6] == [
        (2, "sample_id"), (3, "sample_id"), (4, "prediction"), (5, "prediction"), (6, "position"), (7, "system")
    ]  # fmt: skip
    assert [line for line, _field in faults(refusal)[6:]] == [8, 9, 10, 11]
    assert "pred.jsonl, line 2" in refusal.value.message
    assert not Run.objects.exists() and not System.objects.exists() and not SystemOutput.objects.exists()


def test_the_same_file_again_is_the_same_run(send, keys):
    lines = [{"sample_id": key, "prediction": "x"} for key in keys]
    assert send(lines).pk == send(lines).pk
    assert SystemOutput.objects.count() == 12


@pytest.mark.parametrize(
    ("key", "said"), [("Not a key", "cannot be a key"), ("", "Enter the key of the system"), ("lead", "here")]
)
def test_the_key_must_be_one_and_free(send, project, key, said):
    systems.register_shipped(project=project, key="lead", by=None)
    with pytest.raises(BadInput, match=said):
        send([{"position": 0, "prediction": "x"}], system=key)


def test_the_export_of_a_run_can_be_uploaded_elsewhere(send, keys):
    run = send([{"sample_id": key, "prediction": f"of {key}", "seed": 4} for key in keys])
    lines = list(outputs.export_lines(run))
    assert [line["sample_id"] for line in lines] == keys
    assert {line["revision"] for line in lines} == {1} and lines[0]["seed"] == 4 and lines[0]["config_hash"]
    again = send([{**line, "system": "copy"} for line in lines], system="copy")
    assert [line["prediction"] for line in outputs.export_lines(again)] == [f"of {key}" for key in keys]
