"""Scores of contrastive examples that were made elsewhere: every active example, or a fault with tuple and line."""

import hashlib
import json

import pytest

from annotation.models import Contrastive, Sample
from annotation.services.core.errors import BadInput
from epitome.formats.reading import input_file
from modelbridge.models import Run
from modelbridge.services.runs import role_results
from modelbridge.services.runs.predictions_upload import upload_predictions
from modelbridge.services.runs.system_requests import sample_key
from tests.contrastive_report.factories import add_gold

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]


@pytest.fixture
def send(project, tmp_path):
    def send(lines, **options):
        path = tmp_path / "scores.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return upload_predictions(project=project, file=input_file(path), **{"system": "abs", "by": None, **options})

    return send


@pytest.fixture
def samples(project):
    return list(Sample.objects.select_related("document").order_by("pk"))


@pytest.fixture
def gold(samples):
    return add_gold(
        samples[0],
        "Police arrested two men.",
        {"G-N": ["Men arrested two police."], "S-V": ["Police praised two men."]},
    )


def line_of(gold, scores, **more):
    """A line that names the examples by id: text -> score."""
    examples = Contrastive.objects.filter(annotation=gold).order_by("pk")
    entries = [{"id": str(row.public_id), "score": scores[row.text]} for row in examples if row.text in scores]
    return {"sample_id": sample_key(gold.sample), "scores": {"gold": -1.5, "contrastive": entries, **more}}


SCORES = {"Men arrested two police.": -3, "Police praised two men.": -1.25}


def refused(send, lines):
    with pytest.raises(BadInput) as refusal:
        send(lines)
    assert not Run.objects.exists()
    return refusal.value.extra["faults"]


def test_scores_are_stored_as_a_scorer_stores_them(send, gold):
    run = send([line_of(gold, SCORES)])
    assert (run.over, run.state, run.n_samples, run.revision.kind) == ("contrastives", "done", 1, "upload")
    row = run.outputs.get()
    examples = {row.text: row for row in Contrastive.objects.all()}
    assert row.text == "" and row.scores == {
        "gold": {"sum": -1.5, "of": f"annotation:{gold.pk}"},
        "texts": {
            str(examples[text].public_id): {"sum": float(score), "of": f"contrastive:{examples[text].pk}"}
            for text, score in SCORES.items()
        },
    }
    summary = role_results.summarize_scores(run)
    assert (summary.n, summary.mean_sum, summary.mean_per_token) == (1, -1.5, None)


def test_examples_are_found_by_text_in_any_case_and_the_rule_must_fit(send, gold):
    entries = [
        {"rule": "G-N", "text": "men ARRESTED two police.", "score": -3},
        {"text": "Police praised two men.", "score": -2},
    ]
    line = {"sample_id": sample_key(gold.sample), "scores": {"gold": -1, "contrastive": entries}}
    wrong = json.loads(json.dumps(line))
    wrong["scores"]["contrastive"][0]["rule"] = "S-N"
    (fault,) = refused(send, [wrong])
    assert fault["field"] == "scores.contrastive[0].rule" and "G-N" in fault["message"]
    assert len(send([line]).outputs.get().scores["texts"]) == 2


def test_a_missing_example_is_named_with_its_tuple_and_line(send, gold, samples):
    other = add_gold(samples[1], "It rained.", {"S-V": ["It snowed."]})
    lines = [line_of(other, {"It snowed.": -2}), line_of(gold, {"Men arrested two police.": -3})]
    (fault,) = refused(send, lines)
    lacking = Contrastive.objects.get(text="Police praised two men.")
    assert fault["line"] == 2
    for words in (sample_key(gold.sample), str(gold.public_id), str(lacking.public_id), "S-V", "1 of 2"):
        assert words in fault["message"]


def test_excluded_examples_may_be_left_out_or_sent(send, gold):
    Contrastive.objects.filter(text="Police praised two men.").update(state="excluded")
    assert len(send([line_of(gold, {"Men arrested two police.": -3})]).outputs.get().scores["texts"]) == 1
    assert len(send([line_of(gold, SCORES)]).outputs.get().scores["texts"]) == 2


def test_a_sample_with_two_golds_names_each_by_a_line_of_its_own(send, gold, samples):
    second = add_gold(samples[0], "Two men were held.", {"S-A": ["Ten men were held."]})
    lines = [
        line_of(gold, SCORES, tuple=str(gold.public_id)),
        line_of(second, {"Ten men were held.": -4}, tuple=str(second.public_id)),
    ]
    (fault,) = refused(send, [line_of(gold, SCORES)])
    assert '"tuple" is missing' in fault["message"] and "2 gold summaries" in fault["message"]
    (fault,) = refused(send, [lines[0], lines[0]])
    assert fault["line"] == 2 and "twice" in fault["message"]
    key = f"{sample_key(samples[0])}:{hashlib.sha256(b'Two men were held.').hexdigest()[:12]}"
    by_key = [lines[0], {**lines[1], "scores": {**lines[1]["scores"], "tuple": key}}]
    assert send(by_key).outputs.get().scores == send(lines).outputs.get().scores
    scores = send(lines).outputs.get().scores
    assert scores["gold"]["of"] == f"annotation:{gold.pk}"
    assert scores["texts"][f"annotation:{second.pk}"]["sum"] == -1.5 and len(scores["texts"]) == 4


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"gold": None}, "scores.gold"),
        ({"gold": True}, "scores.gold"),
        ({"contrastive": "none"}, "scores.contrastive"),
        ({"contrastive": ["x"]}, "scores.contrastive[0]"),
        ({"contrastive": [{"score": -1}]}, "scores.contrastive[0]"),
        ({"contrastive": [{"id": "7", "score": -1}]}, "scores.contrastive[0].id"),
        ({"contrastive": [{"text": "Nobody wrote this.", "score": -1}]}, "scores.contrastive[0].text"),
        ({"contrastive": [{"text": "Men arrested two police.", "score": "high"}]}, "scores.contrastive[0].score"),
        ({"contrastive": [{"text": "Men arrested two police.", "score": -1}] * 2}, "scores.contrastive[1]"),
        ({"tuple": "7"}, "scores.tuple"),
    ],
)
def test_what_is_wrong_is_named_by_its_field(send, gold, change, field):
    line = line_of(gold, SCORES)
    line["scores"] |= change
    (fault,) = refused(send, [line])
    assert (fault["line"], fault["field"]) == (1, field)


def test_scores_without_a_sample_or_beside_predictions_are_refused(send, gold, samples):
    line = line_of(gold, SCORES)
    prediction = {"sample_id": sample_key(samples[1]), "prediction": "A text."}
    unnamed = {"scores": line["scores"]}
    assert [fault["line"] for fault in refused(send, [line, prediction])] == [2]
    assert [fault["line"] for fault in refused(send, [prediction, line])] == [2]
    assert [fault["field"] for fault in refused(send, [unnamed])] == ["sample_id"]
    nothing_to_score = {"sample_id": sample_key(samples[1]), "scores": line["scores"]}
    (fault,) = refused(send, [nothing_to_score])
    assert "no contrastive examples" in fault["message"]


def test_the_same_file_again_is_the_same_run(send, gold):
    lines = [line_of(gold, SCORES)]
    assert send(lines).pk == send(lines).pk
