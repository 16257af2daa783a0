"""Whole rounds through the services: simulated people and a judge of known accuracy, the report against the truth."""

import numpy as np
import pytest

from evaluation.models import Item
from evaluation.services.monitoring import round_control
from evaluation.services.rating import answers as rating_answers
from evaluation.services.reports import report_jobs
from tests.rounds.factories import answers_for, claim, launch_new_round, make_run, project_with_gold, raters_of
from tests.rounds.judged import answer_all, judged_config, make_judge

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

RATES = {"gold": 0.8, "lead": 0.5}
SAMPLES, ASKED = 24, 12
REPLAYS = 4


def simulate_round(project, people, judge, number):
    """What people would say of every item is drawn; people are asked about half of the samples, the judge about all and
    errs on a tenth. Returns the report's tables by key, and people's means over all items by system."""
    rng = np.random.default_rng(number)
    text = judged_config(f"Replay {number}", n=SAMPLES, share=f"n_for_people = {ASKED}").replace(
        "seed = 7", f"seed = {number}"
    )
    result = launch_new_round(project, text=text)
    truth = {
        str(item.public_id): bool(rng.uniform() < RATES[item.targets[0]["target"]])
        for item in Item.objects.filter(round=result).order_by("number")
    }
    errors = {item: bool(rng.uniform() < 0.1) for item in truth}
    for person in people:
        while (view := claim(result, person)) is not None:
            says_yes = truth[str(view.item.public_id)]
            payload = answers_for(view, "yes" if says_yes else "no")
            rating_answers.save_answers(assignment=view, payload=payload, finish=True)
    answer_all(result, judge, lambda request: int(truth[request.id] == errors[request.id]))
    result = round_control.apply_action(round_=result, action="unblind", by=None)
    tables = {table["key"]: table for table in report_jobs.make_report(result)["tables"]}
    by_system = {
        system: [
            truth[str(item.public_id)]
            for item in Item.objects.filter(round=result)
            if item.targets[0]["target"] == system
        ]
        for system in RATES
    }
    return tables, {system: float(np.mean(values)) for system, values in by_system.items()}


def test_the_truth_is_in_the_intervals_of_whole_rounds(db):
    project = project_with_gold(documents=SAMPLES)
    make_run(project, "lead")
    people, judge = raters_of(project), make_judge(project)
    items, narrower = [], []
    for number in range(1, REPLAYS + 1):
        tables, truth = simulate_round(project, people, judge, number)
        for row in tables["combined-estimates"]["rows"]:
            system, alone, combined = row[1]["value"], row[2], row[4]
            items.append(combined["low"] <= truth[system] <= combined["high"])
            narrower.append(combined["high"] - combined["low"] <= alone["high"] - alone["low"] + 1e-9)
            assert alone["n"] == ASKED
        (difference, *_rest) = tables["combined-differences"]["rows"]
        combined = difference[6]
        items.append(combined["low"] <= truth["gold"] - truth["lead"] <= combined["high"])
    assert sum(items) >= len(items) - 2
    assert all(narrower)
