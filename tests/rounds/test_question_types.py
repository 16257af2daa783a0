"""Best and worst, rankings, several answers, numbers, and a reason beside an answer: from the file to the report."""

import json

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotation.models import Role, SourceDocument
from annotation.services.core.errors import BadInput
from annotation.services.withdrawal import withdraw
from annotation.services.withdrawal.withdraw import WithdrawalScope
from epitome.rounds.answer_texts import BadAnswer, order_number, text_order
from epitome.rounds.config import config_from_dict
from epitome.rounds.config_parsing import parse_round
from epitome.rounds.designing import plan_round
from epitome.rounds.questions import Question
from epitome.rounds.resolutions import count_swaps, find_consensus, find_median
from epitome.schema import SchemaError, load_preset
from evaluation.models import ItemText, Judgement, JudgementChange
from evaluation.services.monitoring import rater_quality, round_control
from evaluation.services.rating import answers as rating_answers
from evaluation.services.rating import item_payload
from evaluation.services.reports import adjudication, judgements, report_jobs
from evaluation.services.reports.dispute_payload import describe_dispute
from evaluation.services.rounds import instructions as round_instructions
from tests.rounds.designs import Facts, build_candidates
from tests.rounds.factories import claim, launch_new_round, make_run, member, project_with_gold, raters_of
from tests.rounds.forms import LIST_TEMPLATE, list_round, rate_items, single_round

NEWS = load_preset("macsum-doc")


@pytest.fixture
def compared(db):
    """A launched round of lists over gold and two systems; (round, raters)."""
    project = project_with_gold()
    make_run(project, "lead")
    make_run(project, "tail")
    raters = raters_of(project)
    return launch_new_round(project, text=list_round(more="[quality]\nrepeats = 1\n")), raters


@pytest.fixture
def scored(db):
    """A launched round of single summaries with several answers and a number; (round, raters)."""
    project = project_with_gold()
    SourceDocument.objects.filter(project=project).update(metadata_json=json.dumps({"desk": "Harbour <b>desk</b>"}))
    make_run(project, "lead")
    raters = raters_of(project)
    return launch_new_round(project, text=single_round()), raters


def read(question: Question, answer: object) -> str:
    return question.asks.read(question, answer)


def ask(kind: str, **more) -> Question:
    return Question(key="q", type=kind, text="?", **more).for_texts(3)


@pytest.mark.parametrize(
    ("question", "sound", "faulty"),
    [
        (ask("best-worst"), {"a>c": "a>c"}, ["a", "a>a", "a>d", "a>b>c", ">", 3]),
        (ask("ranking"), {"c>a>b": "c>a>b"}, ["c>a", "c>a>a", "a>b>d", ""]),
        (ask("several", values=("x", "y")), {"y; x": "x; y", "x": "x", "none": "none"}, ["", "z", "x; none", None]),
        (ask("number", step=0.5), {"7.50": "7.5", "0": "0", "100": "100"}, ["101", "-1", "7.3", "nan", "x", 7, ""]),
    ],
)
def test_an_answer_is_stored_in_one_shape_or_refused(question, sound, faulty):
    assert {item: read(question, item) for item in sound} == sound
    for item in faulty:
        with pytest.raises(BadAnswer):
            read(question, item)


def test_an_answer_about_a_list_names_texts_whatever_their_order():
    question = ask("best-worst")
    for order in ((1, 2, 3), (3, 1, 2), (2, 3, 1)):
        answer = question.asks.canonical("a>c", order_number(order), 3)
        assert answer == f"{order[0]}>{order[2]}" and text_order(order_number(order), 3) == order


@pytest.mark.parametrize(
    ("more", "place"),
    [
        ('[[template.question]]\nkey = "x"\ntype = "side"\nabout = "list"\ntext = "?"', "use best-worst or ranking"),
        ('[[template.question]]\nkey = "x"\ntype = "ranking"\nabout = "pair"\ntext = "?"', "must be list"),
        ('[[template.question]]\nkey = "x"\ntype = "yes-no"\ntext = "?"', "is summary, which the form list"),
        ('[[template.question]]\nkey = "x"\ntype = "number"\nabout = "list"\nleast = 5\nmost = 5\ntext = "?"', "above"),
        ('[[template.question]]\nkey = "x"\ntype = "number"\nabout = "list"\nstep = 7\ntext = "?"', "whole steps"),
        ('[[template.question]]\nkey = "x"\ntype = "several"\nabout = "list"\nvalues = ["a;b", "c"]\ntext = "?"', ";"),
        ('[[template.question]]\nkey = "x"\ntype = "several"\nabout = "list"\nvalues = ["a"]\ntext = "?"', "two"),
        ('[[template.question]]\nkey = "x"\ntype = "note"\nabout = "list"\nwhy = "optional"\ntext = "?"', "note"),
        ('[[template.example]]\ntitle = "t"\nsummaries = ["a"]\nanswers = { pick = "a>z" }', '"pick" must name 2'),
        ('[pairs]\nby = "value"\nattribute = "length"', "shows a list of summaries"),
    ],
)
def test_a_fault_of_a_template_inside_a_round_names_key_and_line(more, place):
    with pytest.raises(SchemaError) as error:
        parse_round(list_round(more=more), NEWS)
    assert str(error.value).startswith("round.toml, line ") and place in str(error.value)


@pytest.mark.parametrize(("n_targets", "place"), [(2, "3 to 6; declared: 2"), (7, "3 to 6; declared: 7")])
def test_a_list_needs_three_to_six_targets(n_targets, place):
    targets = "".join(f'[[target]]\nsystem = "s{number}"\n' for number in range(n_targets))
    with pytest.raises(SchemaError, match=place):
        parse_round('[round]\nname = "A"\n' + targets + LIST_TEMPLATE, NEWS)


def test_a_configuration_with_its_own_template_survives_being_stored():
    config = parse_round(list_round(more='[pay]\namount = 0.6\ncurrency = "USD"\n[crowd]\nitems_per_person = 5'), NEWS)
    assert config_from_dict(json.loads(json.dumps(config.as_dict()))) == config
    assert config.round_template.name == "Three at once" and config.question("rank").values == ("a", "b", "c")
    assert config.round_template.examples[0].answers["pick"] == "a>c"


def test_every_target_stands_in_every_place_equally_often():
    config = parse_round(list_round(n=30), NEWS)
    rows = build_candidates()
    plan = plan_round(config, {target.key: rows for target in config.targets}, Facts())
    for lane in plan.lanes:
        orders = [text_order(item, 3) for item in lane.left]
        for place in range(3):
            counts = [sum(order[place] == number for order in orders) for number in (1, 2, 3)]
            assert max(counts) - min(counts) == 0
    assert all(first != second for first, second in zip(plan.lanes[0].left, plan.lanes[1].left, strict=True))


def test_a_list_is_rated_by_page_without_scripts_and_reported(compared):
    round_, raters = compared
    client = Client()
    client.force_login(raters[0])
    assignment = claim(round_, raters[0])
    item = item_payload.describe_item(assignment)
    assert item["form"] == "list" and [text["letter"] for text in item["summaries"]] == ["A", "B", "C"]
    assert len({text["text"] for text in item["summaries"]}) == 3
    page = client.get(item["page"]).content.decode()
    assert all(text["text"] in page for text in item["summaries"]) and 'name="q-pick-best"' in page

    form = {"q-pick-best": "b", "q-pick-worst": "a", "q-rank-1": "b", "q-rank-2": "c", "q-rank-3": "a"}
    refused = client.post(item["page"], form)
    assert refused.status_code == 422 and "Give a reason for: pick" in refused.content.decode()
    assert client.post(item["page"], {**form, "why-pick": "B is true."}).status_code == 302

    row = Judgement.objects.get(question="pick")
    assert (row.answer, row.why) == ("b>a", "B is true.")
    order = text_order(assignment.left, 3)
    (line,) = [line for line in judgements.export_lines(round_) if line["question"] == "pick"]
    assert (line["answer"], line["why"], line["shown"]) == (f"{order[1]}>{order[0]}", "B is true.", list(order))
    assert "systems" not in line and "left" not in line


def test_a_list_must_name_different_texts(compared):
    round_, raters = compared
    assignment = claim(round_, raters[0])
    payload = {"answers": {"pick": {"answer": "a>a", "why": "x"}}}
    with pytest.raises(BadInput) as refused:
        rating_answers.save_answers(assignment=assignment, payload=payload)
    assert refused.value.field == "answers.pick" and not Judgement.objects.exists()


def gold_first(assignment):
    """Gold is the best and the first, the last system the worst and the last, wherever they stand."""
    order = text_order(assignment.left, 3)
    letters = {number: "abc"[place] for place, number in enumerate(order)}
    return {"pick": f"{letters[1]}>{letters[3]}", "rank": f"{letters[1]}>{letters[2]}>{letters[3]}"}


def cells(report, key):
    """First cell -> the row's cells, of a table of the report."""
    table = next(table for table in report["tables"] if table["key"] == key)
    heads = [column["label"] for column in table["columns"]]
    return {
        row[0]["value"]: {head: cell["value"] for head, cell in zip(heads, row, strict=True)} for row in table["rows"]
    }


def test_the_report_gives_scores_of_best_and_worst_ranks_and_concordance(compared):
    round_, raters = compared
    for rater in raters:
        rate_items(round_, rater, gold_first)
    round_control.apply_action(round_=round_, action="unblind", by=None)

    report = report_jobs.make_report(round_)

    picked = cells(report, "best-worst-pick")
    assert [picked[name]["Best minus worst"] for name in ("gold", "lead", "tail")] == [1, 0, -1]
    ranked = cells(report, "ranks-rank")
    assert [ranked[name]["Mean rank"] for name in ("gold", "lead", "tail")] == [1, 2, 3]
    assert cells(report, "concordance-rank")["Documents"]["Kendall's W"] == 1
    agreement = cells(report, "agreement")
    assert agreement["Pick: best"]["Agree"] == 1 and "Rank" not in agreement
    assert any(row[2]["value"] == "gold" for row in table_rows(report, "significance"))
    assert "Kendall's W" in report["methods"] and "3 summaries of each sample" in report["methods"]
    assert "asked to give a reason with Pick" in report["methods"]
    assert {figures.self_agreement for figures in rater_quality.rater_figures(round_)} == {1.0}


def table_rows(report, key):
    return next(table["rows"] for table in report["tables"] if table["key"] == key)


def test_several_answers_and_numbers_are_reported_with_their_agreement(scored):
    round_, raters = scored
    faults = {"gold": "none", "lead": "wrong fact; hard to read"}
    for rater, extra in zip(raters, (0, 5), strict=True):

        def values(assignment, extra=extra):
            target = assignment.item.targets[0]["target"]
            return {"faults": faults[target], "score": str({"gold": 90, "lead": 20}[target] + extra)}

        rate_items(round_, rater, values)
    round_control.apply_action(round_=round_, action="unblind", by=None)

    report = report_jobs.make_report(round_)

    ticked = cells(report, "several-faults")
    assert (ticked["lead"]["wrong fact"], ticked["lead"]["left out"], ticked["gold"]["none"]) == (1, 0, 1)
    scores = cells(report, "numbers-score")
    assert (scores["gold"]["Mean"], scores["lead"]["Median"]) == (92.5, 22.5)
    alpha = cells(report, "numbers-agreement-score")["Documents"]["Krippendorff's α, interval"]
    assert 0.98 < alpha < 1
    assert cells(report, "agreement")["Faults: wrong fact"]["Krippendorff's α"] == 1
    assert "interval level" in report["methods"] and "the source's desk" in report["methods"]


def test_other_questions_about_a_list_have_a_row_of_all_its_systems(db):
    project = project_with_gold()
    make_run(project, "lead")
    make_run(project, "tail")
    raters = raters_of(project)
    more = """
[[question]]
key = "alike"
type = "yes-no"
about = "list"
text = "Do they say the same?"

[[question]]
key = "spread"
type = "number"
about = "list"
text = "How different are they?"
"""
    round_ = launch_new_round(project, text=list_round(more=more))
    for rater in raters:
        rate_items(round_, rater)
    round_control.apply_action(round_=round_, action="unblind", by=None)
    report = report_jobs.make_report(round_)
    assert set(cells(report, "yes-pooled")) == {"gold / lead / tail"}
    assert cells(report, "numbers-spread")["gold / lead / tail"]["Mean"] == 40
    raters_table = next(table for table in report["tables"] if table["key"] == "raters")
    assert "Numbers and rankings count in neither" in raters_table["notes"][0]


def test_a_field_of_the_metadata_is_shown_as_text(scored):
    round_, raters = scored
    item = item_payload.describe_item(claim(round_, raters[0]))
    assert item["metadata"] == [{"field": "desk", "text": "Harbour <b>desk</b>"}]
    client = Client()
    client.force_login(raters[0])
    page = client.get(item["page"]).content.decode()
    assert "Harbour &lt;b&gt;desk&lt;/b&gt;" in page


def test_a_reference_can_be_shown_beside_one_summary(db):
    project = project_with_gold()
    SourceDocument.objects.filter(project=project).update(metadata_json=json.dumps({"abstract": "What was found."}))
    raters = raters_of(project)
    text = single_round(more='[reference]\nfrom = "metadata:abstract"\n').replace('"metadata:desk"', '"reference"')
    text = text.replace('[[target]]\nsystem = "lead"\n', "")
    round_ = launch_new_round(project, text=text)
    client = Client()
    client.force_login(raters[0])
    page = client.get(item_payload.describe_item(claim(round_, raters[0]))["page"]).content.decode()
    assert "What was found." in page


def test_reasons_keep_their_history_and_are_refused_where_none_is_asked(scored):
    round_, raters = scored
    assignment = claim(round_, raters[0])
    answer = {"answer": "left out", "unsure": False}
    for why in ("The price is missing.", "The date too."):
        rating_answers.save_answers(assignment=assignment, payload={"answers": {"faults": {**answer, "why": why}}})
    assert Judgement.objects.get().why == "The date too."
    assert JudgementChange.objects.get().why == "The price is missing."
    with pytest.raises(BadInput, match="asks for no reason"):
        payload = {"answers": {"score": {"answer": "40", "why": "x"}}}
        rating_answers.save_answers(assignment=assignment, payload=payload)


def test_reasons_stand_beside_the_answers_for_whoever_decides(compared):
    round_, raters = compared
    rate_items(round_, raters[0], gold_first)
    rate_items(round_, raters[1])
    round_control.apply_action(round_=round_, action="unblind", by=None)
    disputes = list(enumerate(adjudication.list_disputes(round_), 1))
    number, dispute = next((n, dispute) for n, dispute in disputes if dispute.question.key == "pick")
    other_dispute = describe_dispute(round_, dispute)
    assert [vote["why"] for vote in other_dispute["answers"]] == ["Because of A."] * 2
    assert all(option["label"].startswith("Best ") for option in other_dispute["options"])
    client = Client()
    client.force_login(member(round_.project, "researcher", Role.RESEARCHER))
    address = reverse("round-disagreements", args=[round_.project.slug, round_.public_id])
    assert "Because of A." in client.get(f"{address}?n={number}").content.decode()
    adjudication.store_decision(
        round_=round_,
        item=dispute.disagreement.item,
        question="pick",
        answer=dispute.options[0],
        note="",
        by=User.objects.get(username="researcher"),
    )


def test_rankings_are_decided_with_the_closest_one_proposed(compared):
    lists, raters = compared
    rate_items(lists, raters[0], gold_first)
    rate_items(lists, raters[1])
    round_control.apply_action(round_=lists, action="unblind", by=None)
    ranked = [dispute for dispute in adjudication.list_disputes(lists) if dispute.question.key == "rank"]
    assert ranked
    for dispute in ranked:
        results = [answer for _rater, answer, _unsure in dispute.disagreement.answers]
        swaps = [count_swaps(dispute.proposal.split(">"), answer.split(">")) for answer in results]
        assert sum(swaps) == count_swaps(results[0].split(">"), results[1].split(">"))
        options = describe_dispute(lists, dispute)["options"]
        assert [option["key"] for option in options] == [str(n) for n in range(1, len(options) + 1)]
        assert [option["value"] for option in options if option["proposed"]] == [dispute.proposal]


def test_numbers_are_decided_with_their_median_proposed(scored):
    singles, raters = scored
    for rater, score in zip(raters, ("40", "75"), strict=True):
        rate_items(singles, rater, lambda _assignment, score=score: {"score": score})
    round_control.apply_action(round_=singles, action="unblind", by=None)
    (dispute, *_others) = (d for d in adjudication.list_disputes(singles) if d.question.key == "score")
    assert dispute.options == ["40", "60", "75"] and dispute.proposal == "60", "57.5 is halfway between two steps"
    fields = {"round_": singles, "item": dispute.disagreement.item, "question": "score", "note": ""}
    researcher = member(singles.project, "researcher", Role.RESEARCHER)
    with pytest.raises(BadInput):
        adjudication.store_decision(answer="65", by=researcher, **fields)
    assert adjudication.store_decision(answer="60", by=researcher, **fields).answer == "60"
    client = Client()
    client.force_login(researcher)
    page = client.get(reverse("round-disagreements", args=[singles.project.slug, singles.public_id])).content.decode()
    assert "(median)" in page


def test_numbers_close_to_each_other_are_no_disagreement(scored):
    round_, raters = scored
    for rater, score in zip(raters, ("40", "50"), strict=True):
        rate_items(round_, rater, lambda _assignment, score=score: {"score": score})
    round_control.apply_action(round_=round_, action="unblind", by=None)
    assert not [dispute for dispute in adjudication.list_disputes(round_) if dispute.question.key == "score"]


@pytest.mark.parametrize(
    ("rankings", "consensus"),
    [
        # Condorcet winner b, then a, then c; Borda and Kemeny agree.
        (["abc", "bac", "bca"], "bac"),
        # Young's example (1988): a cycle with majorities of 33, 42 and 35 of 60; Kemeny drops the weakest one.
        (["abc"] * 23 + ["bca"] * 17 + ["bac"] * 2 + ["cab"] * 10 + ["cba"] * 8, "bca"),
        # Two opposite rankings: all between them are as close, and those in the middle have the smaller worst distance.
        (["abc", "cba"], "acb"),
    ],
)
def test_the_consensus_is_the_ranking_with_the_fewest_swapped_pairs(rankings, consensus):
    assert "".join(find_consensus([tuple(ranking) for ranking in rankings])) == consensus


def test_the_median_stands_on_a_step():
    assert find_median([40, 75], 0, 5) == 60 and find_median([1, 2, 9], 1, 1) == 2
    assert find_median([0.1, 0.2, 0.3, 0.9], 0, 0.1) == pytest.approx(0.3)
    with pytest.raises(ValueError, match="no answers"):
        find_median([], 0, 1)


def test_a_withdrawal_empties_reasons_now_and_before(scored):
    round_, raters = scored
    assignment = claim(round_, raters[0])
    for why in ("My name is R.", ""):
        payload = {"answers": {"faults": {"answer": "left out", "why": why}}}
        rating_answers.save_answers(assignment=assignment, payload=payload)
    admin = member(round_.project, "admin", Role.ADMIN)
    fields = {"project": round_.project, "person": raters[0], "asked": WithdrawalScope(remove_texts=True), "by": admin}
    preview = withdraw.preview_withdrawal(**fields)
    assert preview.counts["rating_reasons"] == 1
    withdraw.withdraw_person(expect=preview.total, **fields)
    assert not Judgement.objects.exclude(why="").exists() and not JudgementChange.objects.exclude(why="").exists()


def test_the_csv_file_runs_no_formula(scored):
    round_, raters = scored
    assignment = claim(round_, raters[0])
    rating_answers.save_answers(
        assignment=assignment,
        payload={
            "answers": {"faults": {"answer": "left out", "why": "=HYPERLINK(1)"}, "score": {"answer": "40"}},
            "note": "+1",
        },
        finish=True,
    )
    client = Client()
    client.force_login(member(round_.project, "researcher", Role.RESEARCHER))
    address = reverse("round-judgements", args=[round_.project.slug, round_.public_id])
    answer = client.get(f"{address}?format=csv&notes=1")
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    assert answer["Content-Type"].startswith("text/csv") and text.startswith("round,item_id,rater,question,answer,why")
    assert "'=HYPERLINK(1)" in text and "'+1" in text and ",=HYPERLINK" not in text


def test_worked_examples_of_lists_can_qualify(db):
    project = project_with_gold()
    make_run(project, "lead")
    make_run(project, "tail")
    rater, _other = raters_of(project)
    round_ = launch_new_round(project, text=list_round(head="qualification = 1.0"))
    client = Client()
    client.force_login(rater)
    address = reverse("round-qualification", args=[round_.public_id])
    assert 'name="0-pick-best"' in client.get(address).content.decode()
    form = {"0-pick-best": "a", "0-pick-worst": "c", "0-rank-1": "a", "0-rank-2": "b", "0-rank-3": "c"}
    assert client.post(address, {**form, "0-rank-3": ""}).status_code == 422
    assert client.post(address, form).status_code == 302
    assert round_instructions.find_reading(round_, rater).qualified_at is not None


def test_the_third_text_is_a_copy_of_its_own(compared):
    round_, _raters = compared
    assert ItemText.objects.filter(item__round=round_).count() == round_.n_items
    assert set(ItemText.objects.values_list("number", flat=True)) == {3}
