"""Rounds with judges: people see only the chosen items, with stored chances; rows for combined estimates."""

import pytest

from annotation.models import AuditEvent, Job
from epitome.combined.group_estimates import estimate_groups
from evaluation.models import Item, MachineJudgement, RatingSlot
from evaluation.services.monitoring import round_control
from evaluation.services.rating import item_claims
from evaluation.services.rating.people_choice import choose_when_judged
from evaluation.services.reports.combined_rows import load_rows
from evaluation.services.rounds import design_check
from tests.rounds.factories import claim, launch_new_round, make_run, project_with_gold, rate_all, raters_of
from tests.rounds.judged import answer_all, judged_config, make_judge

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(db):
    project = project_with_gold()
    make_run(project, "lead")
    return project, raters_of(project), make_judge(project)


def test_people_see_the_drawn_samples_and_judges_all_items(desk):
    project, people, judge = desk
    round_ = launch_new_round(project, text=judged_config(share="n_for_people = 2"))
    rows = Item.objects.filter(round=round_, for_people=True)
    assert round_.n_items == 12 and round_.n_people_items == 4 == rows.count()
    assert rows.values("sample").distinct().count() == 2  # both systems of the same samples
    assert set(Item.objects.filter(round=round_).values_list("chance", flat=True)) == {2 / 6}
    rated = [view for person in people for view in rate_all(round_, person)]
    assert {view.item_id for view in rated} == set(rows.values_list("pk", flat=True)) and len(rated) == 8
    assert item_claims.claim_next(round_=round_, rater=people[0]).reason == "done"
    assert answer_all(round_, judge)["asked"] == sum(len(item.questions) for item in Item.objects.filter(round=round_))


def test_the_launch_asks_the_frozen_judges(desk):
    project, _people, judge = desk
    make_judge(project, "second")
    text = judged_config(share="share_for_people = 0.5", judges=("judge", "second"))
    round_ = launch_new_round(project, text=text)
    jobs = Job.objects.filter(kind="judge-round")
    assert {job.arguments["round"] for job in jobs} == {round_.pk} and jobs.count() == 2
    assert judge.pk in {job.arguments["revision"] for job in jobs}
    assert '"judges": [{"key": "judge", "revision": 1' in round_.design


def test_the_same_seed_draws_the_same_samples(desk):
    project, _people, _judge = desk
    text = judged_config(share="n_for_people = 3")
    first = launch_new_round(project, text=text)
    second = launch_new_round(project, text=text.replace('"Judged"', '"Again"'))
    third = launch_new_round(project, text=text.replace('"Judged"', '"Other"').replace("seed = 7", "seed = 8"))
    drawn = [
        list(Item.objects.filter(round=item, for_people=True).order_by("number").values_list("number", flat=True))
        for item in (first, second, third)
    ]
    assert drawn[0] == drawn[1] and first.items_hash == second.items_hash != third.items_hash


def test_an_active_round_opens_when_the_judges_have_answered(desk):
    project, people, judge = desk
    second = make_judge(project, "second")
    text = judged_config(share="n_for_people = 3", choice="active", judges=("judge", "second"))
    round_ = launch_new_round(project, text=text)
    assert round_.waits_for_judges and not RatingSlot.objects.filter(round=round_).exists()
    assert item_claims.claim_next(round_=round_, rater=people[0]).reason == "not_open"
    answer_all(round_, judge)
    assert item_claims.claim_next(round_=round_, rater=people[0]).reason == "not_open"
    doubted = Item.objects.filter(round=round_, number=0).get()
    answer_all(round_, second, lambda request: int(request.id == str(doubted.public_id)))
    round_.refresh_from_db()
    assert not round_.waits_for_judges and round_.n_people_items == Item.objects.filter(for_people=True).count() == 6
    assert AuditEvent.objects.filter(verb="round.choose").count() == 1
    chances = dict(Item.objects.filter(round=round_).values_list("sample", "chance"))
    assert sum(chances.values()) == pytest.approx(3)
    assert chances[doubted.sample_id] == 1.0 == max(chances.values()) and min(chances.values()) >= 0.05
    seen = {view.item_id for person in people for view in rate_all(round_, person)}
    assert seen == set(Item.objects.filter(round=round_, for_people=True).values_list("pk", flat=True))


def test_the_items_are_chosen_once(desk):
    project, _people, judge = desk
    second = make_judge(project, "second")
    text = judged_config(share="n_for_people = 3", choice="active", judges=("judge", "second"))
    round_ = launch_new_round(project, text=text)
    for revision in (judge, second):
        answer_all(round_, revision)
    rating_slots_before = list(
        RatingSlot.objects.filter(round=round_).order_by("pk").values_list("pk", "item", "place")
    )
    assert not choose_when_judged(round_)
    newer = make_judge(project, "judge", number=2)
    answer_all(round_, newer, lambda request: 1)
    assert (
        list(RatingSlot.objects.filter(round=round_).order_by("pk").values_list("pk", "item", "place"))
        == rating_slots_before
    )


def test_a_closed_round_chooses_nothing(desk):
    project, _people, judge = desk
    make_judge(project, "second")
    text = judged_config(share="n_for_people = 3", choice="active", judges=("judge", "second"))
    round_ = launch_new_round(project, text=text)
    round_control.apply_action(round_=round_, action="close", by=None)
    for revision in [judge]:
        answer_all(round_, revision)
    assert not RatingSlot.objects.filter(round=round_).exists()


def test_rows_hold_people_judge_chance_and_system(desk):
    project, people, judge = desk
    round_ = launch_new_round(project, text=judged_config(share="n_for_people = 4", n_raters=2))
    rate_all(round_, people[0], "yes")
    rate_all(round_, people[1], "no")
    answer_all(round_, judge, lambda request: 0)
    rows = load_rows(round_)
    assert {row.judge for row in rows} == {"judge, revision 1"} and {row.scale for row in rows} == {"no/yes"}
    assert {row.chance for row in rows} == {4 / 6} and {row.judged for row in rows} == {1.0}
    drawn = [row for row in rows if row.drawn]
    assert {(row.human, row.raters) for row in drawn} == {(0.5, 2)}
    assert {row.human for row in rows if not row.drawn} == {None} and len(drawn) * 6 == len(rows) * 4
    assert {row.system for row in rows} == {"gold", "lead"} and {row.question for row in rows} >= {"extractiveness"}
    assert any(estimate.combined is not None for estimate in estimate_groups(rows))
    changed = make_judge(project, "judge", number=2)
    answer_all(round_, changed, lambda request: 1)
    assert {row.judge for row in load_rows(round_)} == {"judge, revision 1", "judge, revision 2"}


def test_an_answer_that_is_none_is_no_value(desk):
    project, _people, judge = desk
    round_ = launch_new_round(project, text=judged_config(share="n_for_people = 4"))
    answer_all(round_, judge)
    MachineJudgement.objects.filter(item__number=0).update(answer="invalid")
    item = str(Item.objects.get(round=round_, number=0).public_id)
    assert {row.judged for row in load_rows(round_) if row.item == item} == {None}


def test_rows_of_pairs(desk):
    project, people, judge = desk
    text = judged_config(share="n_for_people = 4", template="pairwise-preference")
    round_ = launch_new_round(project, text=text)
    for person in people:
        while (view := claim(round_, person)) is not None:
            from evaluation.services.rating import answers
            from tests.rounds.factories import answers_for

            first = "a" if view.left == 1 else "b"  # always the item's first text, wherever it stands
            answers.save_answers(assignment=view, payload=answers_for(view, first), finish=True)
    answer_all(round_, judge)  # always A, in both orders: undecided
    rows = load_rows(round_)
    assert {(row.system, row.other) for row in rows} == {("gold", "lead")} and {row.judged for row in rows} == {0.5}
    assert {row.human for row in rows if row.drawn} == {1.0} and {row.scale for row in rows} == {"2/tie/1"}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (judged_config(share="n_for_people = 3", judges=("nobody",)), "no judge with the key nobody"),
        (judged_config(share="n_for_people = 3", judges=("lead",)), "no judge with the key lead"),
        (
            judged_config(share="n_for_people = 1\nleast_chance = 0.5", choice="active", judges=("judge", "second")),
            "people need to judge 3 of the 6 samples",
        ),
    ],
)
def test_the_check_says_what_cannot_work(desk, text, fault):
    project, _people, _judge = desk
    make_judge(project, "second")
    result = design_check.check_design(project, design_check.parse_config(project, text))
    assert not result.can_launch and fault in " ".join(result.faults)


def test_the_check_counts_what_people_see(desk):
    project, _people, _judge = desk
    make_judge(project, "second")
    for choice in ("random", "active"):
        text = judged_config(share="n_for_people = 2", choice=choice, judges=("judge", "second"))
        result = design_check.check_design(project, design_check.parse_config(project, text))
        assert result.cost is not None and result.cost.items == 4 and result.can_launch
