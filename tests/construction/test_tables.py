"""Tables 1 and 2 beside the published ones, and requests without the attributes that a summary was not built for."""

import json

import pytest
from django.core.management import call_command
from django.utils import timezone

from annotation.models import Job, Sample
from epitome.metrics.rouge_scores import rouge_f
from epitome.prompts.chat import summary_messages
from epitome.reports.construction import RewrittenTexts, SizeCount, copied_share, sizes_table, validation_table
from epitome.systems.neural.prompts import prompt_text
from evaluation.models import Round
from evaluation.services.reports import construction_tables
from modelbridge.services.construction.rewrite_pairs import judge_rewrite
from modelbridge.services.construction.set_tables import count_sets
from modelbridge.services.runs.system_requests import request_of


def cells(table, row):
    return [cell.value for cell in table.rows[row]]


def test_sizes_stand_above_the_published_ones():
    table = sizes_table({("focus", "train"): SizeCount(9, 7), ("focus", ""): SizeCount(2, 2)}, title="Sizes")
    assert cells(table, 3) == ["Focus", 9, 7, 0, 0, 0, 0]
    assert cells(table, 8) == ["Focus", 2332, 1659, 779, 709, 768, 703] and 8 in table.quoted and 3 not in table.quoted
    assert table.notes[-1] == "In no split: 2."


def test_validation_has_rouge_of_rewrites_and_the_published_row():
    originals, rewrites = ["The cat sat on the mat today."], ["A cat sat on the mat."]
    table = validation_table({"focus": RewrittenTexts(originals, rewrites, abstracts=4, none=2)}, title="Validation")
    expected = [100 * rouge_f(originals, rewrites)[kind][0] for kind in ("rouge1", "rouge2", "rougeL")]
    row = cells(table, 1)
    assert row[1:4] == pytest.approx(expected) and row[4:7] == [None] * 3 and row[9:11] == [7.0, 6.0]
    assert row[11] == 0.25  # two of the eight kinds of content that four abstracts can have
    assert row[12] == pytest.approx(0.75)  # "a cat sat" is new
    assert cells(table, 0)[1:] == [None] * 12 and table.rows[0][1].undefined == "there is no rewrite yet"
    assert cells(table, 3)[:7] == ["Focus", 51.25, 34.23, 41.41, 0.91, 0.93, 0.93]


def test_validation_has_no_grades_of_another_language():
    texts = RewrittenTexts(["Der Rat tagte."], ["Der Rat tagte."], abstracts=1, none=0)
    row = validation_table({"focus": texts}, title="Validation", language="de").rows[1]
    assert row[1].value == 100 and [cell.value for cell in row[7:9]] == [None] * 2
    assert "not in de" in row[7].undefined


@pytest.mark.parametrize(
    ("rewrite", "original", "share"),
    [("a b c d", "A B C e", 0.5), ("a b c", "x", 0.0), ("a b c a b c", "a b c", 1 / 3)],
)
def test_copied_trigrams_by_hand(rewrite, original, share):
    assert copied_share(rewrite, original).value == pytest.approx(share)


def test_a_rewrite_below_three_words_has_no_share():
    assert copied_share("two words", "two words").value is None


@pytest.mark.django_db(transaction=True)
def test_table_1_counts_what_was_built_and_not_what_was_dropped(project, constructed):
    table = construction_tables.build_sizes_table(project)
    by_set = {row[0].value.lower(): [cell.value for cell in row[1:]] for row in table.rows[:5]}
    for key in ("length", "keywords", "readability", "focus", "compositional"):
        samples = Sample.objects.filter(constructed__step__key=key)
        expected = []
        for split in ("train", "dev", "test"):
            rows = samples.filter(document__split=split)
            expected += [rows.count(), rows.values("document").distinct().count()]
        assert by_set[key] == expected and sum(expected) > 0
    call = constructed["readability"].rewrites.all()[0]
    n = count_sets(project)["readability", call.document.split].summaries
    judge_rewrite(rewrite=call, aspect="summary", verdict="drop", by=None)
    assert count_sets(project)["readability", call.document.split].summaries == n - 1


@pytest.mark.django_db(transaction=True)
def test_the_command_prints_both_tables(project, run_step, capsys):
    run_step("readability", n=4)
    call_command("construct_ccsbench", "papers", "tables")
    text = capsys.readouterr().out
    assert "Sizes of the sets" in text and "2332" in text.replace("\u202f", "") and "53.88" in text
    call_command("construct_ccsbench", "papers", "tables", "--json")
    tables = json.loads(capsys.readouterr().out)["tables"]
    assert [table["key"] for table in tables] == ["ccsbench-sizes", "ccsbench-validation"]


@pytest.mark.django_db(transaction=True)
def test_prompts_leave_out_the_attributes_that_a_summary_was_not_built_for(constructed):
    names = {"length": "Length:", "keywords": "Keywords:", "readability": "Readability:", "focus": "Empirical Focus"}
    rows = Sample.objects.filter(constructed__isnull=False)
    rows = rows.select_related("document__source_text", "group", "schema_version")
    seen = set()
    for sample in rows:
        request = request_of(sample, 0)
        hard = prompt_text(request, request.values, names).split("\n\n")[0]
        chat = summary_messages(request, request.values)[0][1]["content"].split("Attributes of the summary:\n")[1]
        for key, name in names.items():
            assert (name in hard, name in chat) == (key in sample.attributes,) * 2, (key, hard, chat)
        seen.add(frozenset(sample.attributes))
    assert len(seen) >= 6


@pytest.mark.django_db(transaction=True)
def test_table_2_has_peoples_answers_of_the_newest_unblinded_round(project, run_step):
    from epitome.figures.tables import Cell, Column, Table

    run_step("readability", n=4)
    validation_table_before = construction_tables.build_validation_table(project)
    assert (
        cells(validation_table_before, 0)[4:7] == [None] * 3
        and validation_table_before.rows[0][4].undefined == "no round has been rated"
    )
    columns = [Column("Answers", kind="text"), *(Column(name, interval=True) for name in ("FAC", "FLU", "CTRL"))]
    rows = [[Cell("each"), *[Cell(0.5)] * 3], [Cell("majority"), Cell(0.97, n=120), Cell(0.9), Cell(0.95)]]
    form = Table("forms", "Agreement, fluency and control", columns, rows)
    frozen = {"items_hash": "0" * 64, "launched_at": timezone.now(), "config": {}, "seed": 1, "raters_per_item": 3}
    rating = Round.objects.create(
        project=project, number=1, name="R", template="ccsbench-readability", form="pair", state="closed", **frozen
    )
    Job.objects.create(
        kind="round-report",
        project=project,
        state="done",
        arguments={"round": rating.pk},
        result={"version": "1", "report": {"tables": [form.as_json()]}},
    )
    assert cells(construction_tables.build_validation_table(project), 0)[4:7] == [None] * 3  # still blinded
    Round.objects.update(state="unblinded", unblinded_at=timezone.now())
    table = construction_tables.build_validation_table(project)
    assert cells(table, 0)[4:7] == [0.97, 0.9, 0.95] and table.rows[0][4].n == 120
    assert cells(table, 1)[4:7] == [None] * 3
