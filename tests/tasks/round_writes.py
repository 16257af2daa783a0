"""The writes of rounds with judges, additional ratings or a rule to stop, as tests/tasks/all_writes.py has them."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from epitome.formats.reading import input_file
from evaluation.models import ItemAssignment, Round
from evaluation.services.monitoring import extra_ratings, round_control
from evaluation.services.rating import answers, model_judges, outside_raters, people_choice, rater_pauses
from evaluation.services.rating.outside_import import import_answers
from evaluation.services.reports import interim, report_links, rounds_together
from evaluation.services.runs_compared import table_jobs
from tests.outside.factories import judged, outside_project, outside_round, pearmut_file
from tests.rounds.disagreeing import disagreeing
from tests.rounds.factories import (
    answers_for,
    claim,
    config,
    launch_new_round,
    make_run,
    project_with_gold,
    raters_of,
)
from tests.rounds.judged import answer_all, judged_config, make_judge, stopping_config
from tests.rounds.test_interim import finish

Work = Callable[[], Any]


def items_chosen(_world: Any) -> Work:
    """By the doubts of judges that have answered everything; their last answer has not chosen."""
    project = project_with_gold("judged", documents=3)
    make_run(project, "lead")
    raters_of(project)
    judges = [make_judge(project, key) for key in ("judge", "second")]
    text = judged_config(n=3, share="n_for_people = 2", choice="active", judges=("judge", "second"))
    round_ = launch_new_round(project, text=text)
    with mock.patch.object(model_judges, "choose_when_judged"):
        for judge in judges:
            answer_all(round_, judge)
    return lambda: people_choice.choose_when_judged(round_)


def ratings_requested(world: Any) -> Work:
    result, _raters = disagreeing("disagreeing-raters", n=1)
    return lambda: extra_ratings.request_extra_ratings(round_=result, by=world.people["admin"])


def stopped_by_rule(world: Any) -> Work:
    project = project_with_gold("stopping", documents=18)
    make_run(project, "lead")
    raters = raters_of(project)[:1]
    text = stopping_config(n=18, n_raters=1, head="apart = 6", more='questions = ["specificity"]')
    round_ = launch_new_round(project, text=text)
    finish(round_, raters, 36)
    return lambda: interim.close_by_rule(round_=round_, by=world.people["admin"])


def _last_item_before_pause() -> tuple[Round, ItemAssignment]:
    """A round in which the answers to the item, which its rater holds, pause them."""
    project = project_with_gold("pausing", documents=3)
    (rater,) = raters_of(project, 1)
    round_ = launch_new_round(project, text=config(n=3, n_raters=1, more="[pausing]\nsame_answers = 1"))
    return round_, claim(round_, rater)


def rater_paused(_world: Any) -> Work:
    _result, item = _last_item_before_pause()
    return lambda: answers.save_answers(assignment=item, payload=answers_for(item), finish=True)


def rater_resumed(world: Any) -> Work:
    result, item = _last_item_before_pause()
    answers.save_answers(assignment=item, payload=answers_for(item), finish=True)
    return lambda: rater_pauses.resume_rater(round_=result, rater=item.rater, by=world.people["admin"])


def _reported_round(world: Any) -> Round:
    return round_control.apply_action(round_=world.view.round, action="unblind", by=None)


def report_linked(world: Any) -> Work:
    result = _reported_round(world)
    return lambda: report_links.make_link(round_=result, name="Reviewer", days=30, by=world.people["admin"])


def report_link_closed(world: Any) -> Work:
    admin = world.people["admin"]
    link, _plain = report_links.make_link(round_=_reported_round(world), name="Reviewer", days=30, by=admin)
    return lambda: report_links.revoke_link(link=link, by=admin)


def rounds_reported(world: Any) -> Work:
    result = _reported_round(world)
    return lambda: rounds_together.start_report(
        project=result.project, rounds=[result, result], by=world.people["admin"]
    )


def tables_started(world: Any) -> Work:
    return lambda: table_jobs.start_tables(project=world.project, runs=[], composition=None, by=world.people["admin"])


def _import_answers(round_: Round, world: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = input_file(pearmut_file(Path(folder), judged()))
        import_answers(round_=round_, file=file, mapping={}, by=world.people["admin"])


def outside_answers_imported(world: Any) -> Work:
    round_ = outside_round(outside_project("outside"))
    return lambda: _import_answers(round_, world)


def outside_answers_removed(world: Any) -> Work:
    round_ = outside_round(outside_project("outside"))
    _import_answers(round_, world)
    account = outside_raters.list_outside_raters(round_)[0].account
    return lambda: outside_raters.remove_outside_rater(round_=round_, account=account, by=world.people["admin"])


ROUND_WRITES: dict[str, Callable[[Any], Work]] = {
    "items chosen by the judges' doubts": items_chosen,
    "additional ratings": ratings_requested,
    "round stopped by its rule": stopped_by_rule,
    "rater paused by a rule": rater_paused,
    "rater resumed": rater_resumed,
    "link to a report": report_linked,
    "link to a report closed": report_link_closed,
    "report of several rounds": rounds_reported,
    "tables of runs": tables_started,
    "answers of another tool imported": outside_answers_imported,
    "imported answers removed": outside_answers_removed,
}
