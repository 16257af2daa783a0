"""From a pilot to a checked number: plan, chosen items, early stop, report, and the command on the exported files."""

import json

import pytest

from epitome.cli.main import main
from evaluation.models import Item
from evaluation.services.monitoring import round_control
from evaluation.services.rating import answers as rating_answers
from evaluation.services.reports import interim, report_jobs
from evaluation.services.reports.combined_material import export_rows
from evaluation.services.reports.judgements import export_jsonl, export_judges
from evaluation.services.rounds import design_check
from tests.rounds.factories import answers_for, claim, launch_new_round, make_run, project_with_gold, raters_of
from tests.rounds.judged import answer_all, judged_config, make_judge

pytestmark = pytest.mark.django_db
JUDGES = ("judge", "second")
N = 40


@pytest.fixture
def desk(db):
    project = project_with_gold(documents=N)
    make_run(project, "lead")
    return project, raters_of(project, 1)[0], [make_judge(project, key) for key in JUDGES]


def think(item):
    """What people find: yes of most human summaries, no of most others."""
    return item.sample_id % 10 != 0 if item.targets[0]["target"] == "gold" else item.sample_id % 4 == 0


def rate(round_, rater, most=10**6):
    number = 0
    while number < most and (view := claim(round_, rater)) is not None:
        payload = answers_for(view, "yes" if think(view.item) else "no")
        rating_answers.save_answers(assignment=view, payload=payload, finish=True)
        number += 1
    return number


def let_judge(round_, judges):
    """Both find most of what people do; they err on other items."""
    items = {str(item.public_id): item for item in Item.objects.filter(round=round_)}
    for place, judge in enumerate(judges):
        answer_all(
            round_,
            judge,
            lambda request, place=place: int(think(items[request.id]) == ((items[request.id].number + place) % 9 == 0)),
        )


def unblind(round_):
    return round_control.apply_action(round_=round_, action="unblind", by=None)


def run_command(capsys, *words):
    assert main(["combine", *map(str, words), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def compare_numbers(values, table, judge):
    """The command's estimates are those of the report's table."""
    place = next(n for n, column in enumerate(table["columns"]) if column["group"] == judge)
    by_key = {estimate["system"]: estimate for estimate in values["estimates"] if estimate["judge"] == judge}
    rows = [row for row in table["rows"] if row[1]["value"] in by_key and row[0]["value"] == "Specificity"]
    assert len(rows) == 2
    for row in rows:
        of_command = by_key[row[1]["value"]]
        for way, cell in (("people", row[2]), ("judge_only", row[place]), ("combined", row[place + 1])):
            assert of_command[way]["value"] == pytest.approx(cell["value"])
            assert of_command[way]["ci95"] == pytest.approx([cell["low"], cell["high"]])
        assert of_command["combined"]["weight"] == pytest.approx(row[place + 2]["value"])


def make_pilot(project, rater, judges):
    pilot = launch_new_round(
        project, text=judged_config("Pilot", n=N, n_raters=1, share="n_for_people = 30", judges=JUDGES)
    )
    rate(pilot, rater)
    let_judge(pilot, judges)
    return unblind(pilot)


def check_exports(made, tmp_path, capsys, table):
    """The rows, and people's and judges' answers as the round's page exports them, give the report's numbers."""
    rows, people, judged = (tmp_path / f"{name}.jsonl" for name in ("rows", "people", "judges"))
    rows.write_bytes(b"".join(export_rows(made)))
    people.write_bytes(b"".join(export_jsonl(made)))
    judged.write_bytes(b"".join(export_judges(made)))
    for judge in (f"{key}, revision 1" for key in JUDGES):
        compare_numbers(only_specificity(run_command(capsys, rows)), table, judge)
        compare_numbers(only_specificity(run_command(capsys, people, judged)), table, judge)


def only_specificity(values):
    return {"estimates": [estimate for estimate in values["estimates"] if estimate["question"] == "specificity"]}


def test_from_a_pilot_to_chosen_items_and_the_checked_report(desk, tmp_path, capsys):
    project, rater, judges = desk
    make_pilot(project, rater, judges)
    text = judged_config(
        "Chosen", n=N, n_raters=1, share="n_for_people = 24", choice="active", judges=JUDGES, more='pilot = "Pilot"'
    )
    checked = design_check.check_design(project, design_check.parse_config(project, text))
    assert checked.faults == [] and checked.certainty.pilot == "Pilot"
    assert checked.certainty.about.n_pilot == 30 and checked.certainty.chosen == 24
    assert checked.certainty.about.correlation > 0.5
    result = launch_new_round(project, text=text)
    assert claim(result, rater) is None  # it waits for the judges
    let_judge(result, judges)
    result.refresh_from_db()
    assert rate(result, rater) == 48
    assert len(set(Item.objects.filter(round=result).values_list("chance", flat=True))) > 1
    result = unblind(result)
    report = report_jobs.make_report(result)
    tables = {table["key"]: table for table in report["tables"]}
    assert "known, unequal chances" in report["methods"]
    for key in ("yes-pooled", "agreement", "judges"):
        if key in tables:
            assert any("no random sample of all" in note for note in tables[key]["notes"]), key
    assert not any("no random sample" in note for note in tables["combined-estimates"]["notes"])
    check_exports(result, tmp_path, capsys, tables["combined-estimates"])


def test_a_judged_round_stops_by_its_rule_and_its_numbers_can_be_checked(desk, tmp_path, capsys):
    project, rater, judges = desk
    text = judged_config("Stopping", n=N, n_raters=1, judges=JUDGES, head="apart = 5", more="correlation = 0.7")
    result = launch_new_round(project, text=text + '[stopping]\nrule = "decided"\nquestions = ["specificity"]\n')
    let_judge(result, judges)
    number = 0
    while interim.analyse_interim(result).met_at is None:
        rated = rate(result, rater, 10)
        number += rated
        assert rated, "everything was rated and the rule was not met"
    assert number < 2 * N
    result = unblind(interim.close_by_rule(round_=result, by=None))
    report = report_jobs.make_report(result)
    tables = {table["key"]: table for table in report["tables"]}
    assert "the round could stop when every comparison was decided" in report["methods"]
    (sequence,) = tables["combined-sequences"]["rows"]
    assert sequence[-1]["value"] == "yes"
    assert any("only describe" in note for note in tables["yes-pooled"]["notes"])
    assert any("they describe" in note for note in tables["combined-estimates"]["notes"])
    rows = tmp_path / "rows.jsonl"
    rows.write_bytes(b"".join(export_rows(result)))
    values = only_specificity(run_command(capsys, rows))
    compare_numbers(values, tables["combined-estimates"], "judge, revision 1")
    estimate = next(other_estimate for other_estimate in values["estimates"] if other_estimate["system"] == "gold")
    lines = [json.loads(line) for line in rows.read_text().splitlines()]
    judged = {line["item_id"] for line in lines if line["question"] == "specificity" and line["H"] is not None}
    assert 2 * estimate["combined"]["n"] == len(judged)
