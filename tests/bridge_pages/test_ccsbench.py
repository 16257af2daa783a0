"""The table of a run in a project that asks as CCSBench does."""

from unittest.mock import patch

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from django.utils.translation import get_language, override

from annotation.models import Annotation, Group, Sample
from annotation.services.people.projects import create_project
from evaluation.services.runs_compared.paper_tables import build_tables
from evaluation.services.runs_compared.run_comparison import compare_runs
from modelbridge.models import Run
from modelbridge.services.runs import outputs, runs
from modelbridge.services.systems import systems
from tests.bridge_pages.conftest import with_summaries
from tests.export.factories import import_rows, row
from tests.reports.stored_tables import compute_scores, compute_tables, read_tables

WORDS = {0: 40, 1: 90, 2: 160}
ASKED = [
    {"length": "0", "readability": "normal", "focus": "low"},
    {"length": "1", "readability": "high", "focus": "low"},
    {"length": "2", "readability": "high", "focus": "high"},
]


@pytest.fixture
def project(db, tmp_path, monkeypatch):
    """One paper, three samples that ask for the keywords bridge and tunnel; each human summary has 45 words."""
    other_project = create_project(slug="runs", schema="ccsbench")
    import_rows(other_project, tmp_path, [row(0)])
    monkeypatch.setattr("tests.export.factories.VALUES", ASKED)
    with_summaries(other_project)
    Group.objects.update(chosen={"keywords": ["bridge", "tunnel"]})
    Annotation.objects.update(payload={"summary": " ".join(["word"] * 45), "title": ""})
    return other_project


def text_of(sample):
    """As many words as the bin has; hard ones where normal readability was asked for."""
    word = "incomprehensibility" if sample.values["readability"] == "normal" else "so"
    return " ".join([*[word] * (WORDS[sample.position] - 1), "bridges."])


def test_distance_correlation_keywords_and_grades_stand_in_the_table(client, project, predicted, tagger):
    run = predicted(text_of, "ours", tagger)

    (numbers,) = (result := compare_runs(project, [run])).runs

    papers = {key: value.value.value for key, value in numbers.papers.items()}
    assert papers["mad"] == pytest.approx(4 / 3)  # bins 0, 1 and 3; the human summaries are all in bin 0
    assert papers["pcc"] == pytest.approx(0.9954, abs=1e-4)
    assert papers["sr"] == 0.5  # "bridges" has the stem that was asked for
    assert papers["gap"] == pytest.approx(papers["normal"] - papers["high"]) and papers["gap"] > 0
    assert "mad" not in result.gold.papers and "pcc" in result.gold.papers
    compute_scores(client, "runs", str(run.public_id))
    text = client.get(f"/p/runs/runs/{run.public_id}/").content.decode()
    assert "CCSBench" in text and "MAD ↓" in text and "Focus takes a judge:" in text
    assert "Change requests" not in text  # it was uploaded: nothing here can write again
    assert "ccsbench:1" in result.signature


def test_other_projects_have_no_such_columns(db, tmp_path):
    other_project = create_project(slug="macsum", schema="macsum-doc")

    assert compare_runs(other_project, []).signature.count("ccsbench") == 0


def judge_all(project, over, answer_of):
    """A finished judging of the texts `over`: the answer by sample position; None: the judge failed there."""
    toml = '[system]\nkey = "judge"\nkind = "fake-judge"\n'
    revision = systems.register_system(project=project, toml_text=toml, by=None)
    run = runs.start_run(project=project, revision=revision, by=None, over=over, options={"preset": "focus"})
    now = timezone.now()
    for output in run.outputs.select_related("sample"):
        answer = answer_of[output.sample.position]
        label = answer if answer in run.options["answers"] else ""
        fields = {"state": "failed", "error": "away"} if answer is None else {"state": "done", "text": answer}
        run.outputs.filter(pk=output.pk).update(finished_at=now, scores={"label": label}, **fields)
    Run.objects.filter(pk=run.pk).update(state="done", finished_at=now)
    return run


def test_f1_of_the_focus_is_the_judges_and_an_invalid_answer_is_a_miss(client, project, predicted, tagger, settings):
    settings.EPITOME_FAKE_SYSTEMS = True
    run = predicted(text_of, "ours", tagger)
    over = f"run:{run.public_id}"
    # Asked for: low, low, high. Low: one of two found, none wrong: 2/3. High: found: 1.
    judge_all(project, over, ["conceptual", "both", "empirical"])
    (numbers,) = compare_runs(project, [run]).runs
    assert numbers.papers["f1"].value.value == pytest.approx((2 / 3 + 1) / 2)
    assert numbers.papers["f1"].n == 3 and numbers.judge == "judge (revision 1)"
    assert numbers.papers["f1_low"].value.value == pytest.approx(2 / 3) and numbers.papers["f1_high"].value.value == 1
    compute_scores(client, "runs", str(run.public_id))
    text = client.get(f"/p/runs/runs/{run.public_id}/").content.decode()
    assert "F1 low" in text and "1 answer of a judge was neither of the two words" in text
    assert "F1 ↑" in text and "Judge of focus: judge (revision 1), not validated by hand." in text

    # A newer judging counts; what it could not judge is left out, not counted as a miss.
    judge_all(project, over, ["conceptual", None, "empirical"])
    (numbers,) = compare_runs(project, [run]).runs
    assert (numbers.papers["f1"].value.value, numbers.papers["f1"].n) == (1.0, 2)

    assert "f1" not in compare_runs(project, [run]).gold.papers
    judge_all(project, "references", ["conceptual", "conceptual", "conceptual"])
    gold = compare_runs(project, [run]).gold.papers["f1"]
    assert gold.value.value == pytest.approx((4 / 5 + 0) / 2)


def test_a_judge_s_label_stands_beside_the_measures_of_an_output(client, project, predicted, tagger, settings):
    settings.EPITOME_FAKE_SYSTEMS = True
    run = predicted(text_of, "ours", tagger)
    judge_all(project, f"run:{run.public_id}", ["conceptual", "both", "empirical"])
    samples = list(Sample.objects.order_by("position"))
    scores = [outputs.for_sample(project, sample)[0].scores["focus-judge"] for sample in samples]
    assert [score.value for score in scores] == [0.0, None, 1.0] and "none of the answers" in scores[1].undefined
    assert scores[0].signature.startswith("focus-judge|v:1|judge:judge@1|question:")
    lines = list(outputs.export_lines(run))
    assert lines[2]["metrics"]["focus-judge"] == {"signature": scores[2].signature, "value": 1.0}
    assert lines[2]["metrics"].keys() > {"length", "focus-judge"}
    system = systems.revision_of(project, "judge").system
    judge_page = client.get(f"/p/runs/systems/{system.public_id}/").content.decode()
    assert '<option value="focus" selected>' in judge_page and f"outputs of run {str(run.public_id)[:8]}" in judge_page
    page = client.get(f"/p/runs/samples/{samples[2].public_id}/outputs/").content.decode()
    assert "Focus, seen by a judge" in page and "High (empirical)" in page

    judge_all(project, f"run:{run.public_id}", ["empirical"] * 3)  # the newest judging counts
    assert outputs.for_sample(project, samples[0])[0].scores["focus-judge"].value == 1.0


def test_tables_are_in_english_whoever_asks_first(client, project, predicted, tagger):
    run = predicted(text_of, "ours", tagger)
    asked_in: list[str] = []

    def note(text: str) -> str:
        asked_in.append(get_language())
        return text

    with override("de"), patch("evaluation.services.runs_compared.paper_tables._", note):
        tables = build_tables(project, [run])
    assert asked_in and set(asked_in) == {"en"}
    assert tables == build_tables(project, [run])


def test_one_reference_without_a_keyword_does_not_outweigh_all_others(client, project, predicted, tagger):
    run = predicted(text_of, "ours", tagger)  # half of the keywords, which no human summary has
    comparison = compare_runs(project, [run])
    assert (
        comparison.runs[0].cer["keywords"].value.value == pytest.approx(5) and "cer:uniform:0.1" in comparison.signature
    )


def test_a_sample_that_is_dropped_leaves_the_tables(client, project, predicted, tagger):
    run = predicted(text_of, "ours", tagger)
    assert compare_runs(project, [run]).runs[0].n == 3
    Sample.objects.filter(position=2).update(state="void")
    numbers = compare_runs(project, [run]).runs[0]
    assert (numbers.n, numbers.papers["mad"].value.value) == (2, pytest.approx(0.5))  # bins 0 and 1 against 0


def test_every_number_is_of_the_samples_that_ask_for_its_attribute(client, project, predicted, tagger):
    run = predicted(text_of, "ours", tagger)
    sample = Sample.objects.get(position=2)
    sample.values.pop("length")
    sample.save()
    numbers = compare_runs(project, [run]).runs[0]
    assert numbers.papers["mad"].value.value == pytest.approx(0.5) and numbers.papers["pcc"].n == 2
    assert (numbers.cer["length"].n, numbers.cer["readability"].n) == (2, 3)


def test_the_tables_page_shows_ones_own_run_above_the_published_rows_in_grey(client, project, predicted, tagger):
    run = predicted(text_of, "ours", tagger)
    page = compute_tables(client, f"/p/runs/tables/?run={run.public_id}")
    table = page[page.index('id="t-ccsbench"') :].split("</table>")[0]
    assert table.count('class="quoted"') == 14
    assert table.index("Ours") < table.index("A1 Flan-T5-XL zero-shot") < table.index("B1") < table.index("D2")
    assert "n/a" in table  # nobody judged the focus
    assert "B1: 13.11 - 9.37 is 3.74 (printed: 3.59)." in page and "No F1 of one" in page
    latex = client.get(f"/p/runs/tables/file/?run={run.public_id}&table=ccsbench&format=latex").content.decode()
    assert r"\textcolor{gray}{A1 Flan-T5-XL zero-shot}" in latex and r"\textcolor{gray}{Ours" not in latex
    rows = (
        client.get(f"/p/runs/tables/file/?run={run.public_id}&table=ccsbench&format=csv").content.decode().splitlines()
    )
    assert len(rows) == 1 + 1 + 14


def test_a_system_stands_in_its_block(client, project, predicted, tagger):
    run = predicted(text_of, "ours", tagger)
    text = run.revision.config_toml.replace("[system]", '[system]\nblock = "PEFT"', 1)
    type(run.revision).objects.filter(pk=run.revision_id).update(config_toml=text)
    table = build_tables(project, [Run.objects.get(pk=run.pk)])
    rows = next(other_table for other_table in table["tables"] if other_table["key"] == "ccsbench")["rows"]
    names = [row[1]["value"] for row in rows]
    assert names.index("A6 GPT-4-Turbo zero-shot") + 1 == names.index(str(run)) == names.index("B1 Flan-T5-XL LoRA") - 1


def test_no_variance_of_the_lengths_is_a_dash_with_its_reason(client, project, predicted, tagger):
    run = predicted(lambda _sample: "As long as any other.", "ours", tagger)
    page = compute_tables(client, f"/p/runs/tables/?run={run.public_id}")
    row = next(line for line in page[page.index('id="t-ccsbench"') :].split("<tr") if "Ours" in line)
    assert 'title="all generated lengths are 5: no variance">–<' in row
    assert "–: <bdi>all generated lengths are 5: no variance</bdi>" in page
    csv = client.get(f"/p/runs/tables/file/?run={run.public_id}&table=ccsbench&format=csv").content.decode()
    assert "–: all generated lengths are 5: no variance" in csv


def test_trained_on_one_attribute_stands_against_trained_on_all(client, project, predicted, tagger):
    together = predicted(text_of, "all", tagger)
    length = predicted(lambda sample: " ".join(["word"] * (50 * sample.position + 40)), "length", tagger)
    keywords = predicted(lambda _sample: "A bridge and a tunnel.", "keywords", tagger)
    chosen = f"together={together.public_id}&alone_length={length.public_id}&alone_keywords={keywords.public_id}"

    page = compute_tables(client, f"/p/runs/tables/?{chosen}")
    table = page[page.index('id="t-composition"') :].split("</table>")[0]
    assert table.count('class="quoted"') == 2 and "4.66" in table and ".92" in table and "3.62" in table
    answer = client.get(f"/p/runs/tables/file/?{chosen}&table=composition&format=json")
    rows = {row[0]["value"]: row[1:] for row in answer.json()["rows"]}
    gap, pcc, mad, sr, f1 = rows["single"]
    assert (gap["undefined"], f1["undefined"]) == ("not measured", "no judge has read its texts")
    assert pcc["value"] == pytest.approx(1) and mad["value"] == pytest.approx(1) and sr["value"] == 1
    assert rows["compositional"][3]["value"] == 0.5 and rows["difference"][3]["value"] == -0.5
    assert rows["difference"][0]["undefined"].startswith("single: ")
    assert "Worse when trained on all: PCC, MAD, SR." in page
    assert "t-composition" not in compute_tables(client, f"/p/runs/tables/?together={together.public_id}")


def test_table_4_by_api_and_command(client, project, predicted, tagger, capsys):
    together, length = predicted(text_of, "all", tagger), predicted(text_of, "length", tagger)
    api = "/api/v1/projects/runs/tables/"
    tables = read_tables(client, f"{api}?together={together.public_id}&alone_length={length.public_id}")["tables"]
    assert "composition" in {table["key"] for table in tables}
    call_command("paper_tables", "runs", "--together", str(together.public_id), "--alone", f"length={length.public_id}")
    assert "Trained on one attribute or on all" in capsys.readouterr().out
    assert client.get(f"{api}?run=nothing").status_code == 400 and client.get(f"{api}?runs=1").status_code == 400
    for words, answers in ((["nothing"], "no finished run nothing"), (["--alone", "length"], "not ATTRIBUTE=RUN")):
        with pytest.raises(CommandError, match=answers):
            call_command("paper_tables", "runs", *words)
