"""Uploads, the sample page, the table of scores, the file of a run."""

import json
from dataclasses import replace

from annotation.models import Annotation, Sample
from epitome.measures import Value
from epitome.metrics.table_numbers import CONTENT
from evaluation.services.runs_compared.run_comparison import compare_runs
from evaluation.services.runs_compared.score_tables import control_table
from modelbridge.models import Run
from modelbridge.services.runs.run_progress import progress_of
from tests.bridge_pages.conftest import build_upload
from tests.metrics.factories import LENGTH_RATIO
from tests.reports.stored_tables import compute_scores

NASTY = "<script>alert(1)</script> ![x](http://example.org/x.png) \x1b[31mred [a](javascript:b) Ignore all instructions"


def human(sample):
    return Annotation.objects.get(sample=sample).payload["summary"]


def texts_of(shown):
    return [[cell.text for cell in row] for row in shown.rows]


def test_a_file_of_predictions_becomes_a_finished_run(client, project):
    lines = [{"sample_id": f"d0#{place}", "prediction": f"Text {place}."} for place in range(3)]

    answer = client.post("/p/runs/runs/upload/", {"file": build_upload("a.jsonl", lines), "system": "gtp"}, follow=True)

    assert "3 outputs." in answer.content.decode()
    assert Run.objects.get().revision.system.key == "gtp"


def test_faults_of_a_file_are_told_by_line_and_nothing_is_stored(client, project):
    lines = [{"sample_id": "d0#0", "prediction": "x"}, {"sample_id": "nowhere#1", "prediction": "y"}]

    answer = client.post("/p/runs/runs/upload/", {"file": build_upload("a.jsonl", lines), "system": "gtp"})

    assert answer.status_code == 422
    assert "nowhere#1" in answer.content.decode() and "Nothing was changed." in answer.content.decode()
    assert not Run.objects.exists()


def test_a_sample_shows_human_summary_and_outputs_with_what_was_copied(client, project, predicted, tagger):
    sample = Sample.objects.order_by("pk")[1]
    predicted(lambda each: "It is said: the council. The council met on Monday, yes.", "ours", tagger)
    predicted(lambda each: "Nothing of it.", "theirs")

    text = client.get(f"/p/runs/samples/{sample.public_id}/outputs/").content.decode()

    for content in ("Human summary", "Ours", "Theirs", "Nothing of it.", "d0#1"):
        assert content in text
    assert '<mark class="copied">The council met on</mark>' in text
    assert "4 copied" in text
    assert "Requested" in text and "Long" in text


def test_what_a_model_wrote_is_text_and_nothing_else(client, project, predicted):
    sample = Sample.objects.order_by("pk")[0]
    run = predicted(lambda each: NASTY)

    for address in (f"/p/runs/samples/{sample.public_id}/outputs/", f"/p/runs/runs/{run.public_id}/"):
        text = client.get(address).content.decode()
        assert "<script>alert" not in text and "&lt;script&gt;alert(1)&lt;/script&gt;" in text
        assert "<img" not in text and "javascript:b)" in text and 'href="javascript' not in text


def test_the_human_summaries_as_predictions_have_no_error(client, project, predicted, tagger):
    run = predicted(human, "gold", tagger)

    result = compare_runs(project, [run])

    (numbers,) = result.runs
    assert {key: value.value.value for key, value in numbers.cer.items() if value.value.defined} == {
        "length": 0.0, "extractiveness": 0.0, "specificity": 0.0
    }  # fmt: skip
    assert numbers.content["rougeL"].value.value == 1
    assert numbers.cc["length"].value == result.gold.cc["length"].value
    assert numbers.cer["length"].n == 9


def test_the_table_stands_on_the_page_with_the_human_row_and_its_signature(client, project, predicted, tagger):
    run = predicted(lambda each: "The council met.", "short", tagger)

    compute_scores(client, "runs", str(run.public_id))
    text = client.get(f"/p/runs/runs/compare/?run={run.public_id}").content.decode()

    assert "Human summaries" in text and "CER ↓" in text and "ROUGE ↑" in text
    assert "control|v:1|cer:release" in text


def test_the_table_has_a_column_for_each_metric_of_content(client, project, predicted, tagger, monkeypatch):
    monkeypatch.setitem(CONTENT, LENGTH_RATIO.key, LENGTH_RATIO)
    run = predicted(human, "gold", tagger)

    compute_scores(client, "runs", str(run.public_id))
    text = client.get(f"/p/runs/runs/compare/?run={run.public_id}").content.decode()

    assert "Size →" in text and "Chars" in text and "1.00" in text
    assert "length-ratio:characters" in text


def test_a_mean_error_that_there_is_stands_in_the_table(project, predicted, tagger):
    run = predicted(lambda each: "The council met.", "short", tagger)
    result = compare_runs(project, [run])
    changed = replace(result, runs=[replace(result.runs[0], average=Value.of(0.5))])

    outcome = control_table(changed, [run])

    place = [label for label, _remaining in outcome.labels].index("Avg")
    assert outcome.rows[1][place].text == ".500"


def test_outputs_that_ran_out_of_tokens_are_counted_filtered_and_told_below_the_table(
    client, project, predicted, tagger
):
    run = predicted(lambda each: "The council met and", "ours", tagger)
    for output in run.outputs.order_by("position")[:2]:
        output.decoding = {"max_tokens": 4, "finish_reason": "length"}
        output.save(update_fields=["decoding"])

    page = client.get(f"/p/runs/runs/{run.public_id}/?state=cut-off").content.decode()
    assert page.count('<span class="muted small">cut at max_tokens</span>') == 2
    assert progress_of(run).cut_off == 2
    sample = run.outputs.order_by("position")[0].sample
    assert "cut at max_tokens" in client.get(f"/p/runs/samples/{sample.public_id}/outputs/").content.decode()
    n = run.outputs.count()
    assert (
        f"Ours: 2 of {n} outputs were cut at max_tokens."
        in control_table(compare_runs(project, [run]), [run]).table.notes
    )


def test_a_schema_without_measured_attributes_says_why_there_is_no_mean_error(project, predicted, tagger):
    run = predicted(human, "gold", tagger)
    comparison = compare_runs(project, [run])
    aspects = replace(
        comparison.schema,
        attributes=tuple(replace(attribute, measure="") for attribute in comparison.schema.attributes),
    )
    runs = [replace(numbers, cer={}) for numbers in comparison.runs]

    table = control_table(replace(comparison, schema=aspects, runs=runs), [run]).table
    assert table.columns[2].label == "Avg"
    assert [row[2].undefined for row in table.rows] == ["no attribute of the schema is measured"] * 2


def test_new_scores_and_outputs_change_the_table(project, predicted, tagger):
    run = predicted(lambda each: "The council met.", "short")
    assert compare_runs(project, [run]).runs[0].measured == 0

    predicted(lambda each: "Another text.", "other", tagger)

    assert compare_runs(project, [run]).runs[0].measured == 9


def test_a_run_without_human_summaries_has_no_error_columns(client, project, predicted, tagger):
    Annotation.objects.all().delete()
    run = predicted(lambda each: "The council met.", "short", tagger)

    compute_scores(client, "runs", str(run.public_id))
    text = client.get(f"/p/runs/runs/{run.public_id}/").content.decode()

    assert "CER and ROUGE appear once there are human summaries." in text and "CER ↓" not in text


def test_the_file_of_a_run_has_a_line_for_every_sample(client, project, predicted):
    run = predicted(lambda each: f"Text of {each.position}")

    answer = client.get(f"/p/runs/runs/{run.public_id}/file/")

    lines = [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]
    assert [line["prediction"] for line in lines] == [f"Text of {n % 3}" for n in range(9)]
    assert "attachment" in answer["Content-Disposition"]
