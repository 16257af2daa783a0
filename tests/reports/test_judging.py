"""A model as a rater: asked what people are asked, stored apart, held against them in the report."""

import pytest
from django.urls import reverse

from annotation.models import Job, Role
from epitome.reports.judges import INVALID
from epitome.systems.protocol import SystemFault
from evaluation.models import Judgement, MachineJudgement
from evaluation.services.monitoring import round_control
from evaluation.services.rating import model_judges
from evaluation.services.rating.judge_requests import list_worked_examples
from evaluation.services.reports import report_jobs
from modelbridge.models import System, SystemRevision
from tests.reports.judges import YesJudge
from tests.rounds.factories import launch_new_round, make_run, member, project_with_gold, rate_all, raters_of

RUN = '[[target]]\nsystem = "lead"\n'


@pytest.fixture
def judged(db):
    project = project_with_gold(documents=4)
    make_run(project, "lead")
    people = raters_of(project)
    round_ = launch_new_round(project, n=4, more=RUN)
    rate_all(round_, people[0], "yes")
    rate_all(round_, people[1], "yes")
    system = System.objects.create(project=project, key="judge", name="judge")
    revision = SystemRevision.objects.create(system=system, number=1, kind="fake", role="judge", config_hash="j")
    return round_, revision


def test_a_judge_is_asked_once_what_raters_are_asked_and_sees_no_names(judged):
    result, revision = judged
    judge = YesJudge()
    counts = model_judges.judge_round(round_=result, revision=revision, judge=judge)
    assert counts == {"asked": Judgement.objects.filter(round=result).count() // 2, "invalid": 1}
    assert {answers for _request, _question, answers in judge.seen} == {("Yes", "No")}
    text = " ".join(repr(request) for request, *_ in judge.seen)
    assert "Output lead" in text and "system='lead'" not in text
    assert all(request.segments and request.values for request, *_ in judge.seen)
    assert model_judges.judge_round(round_=result, revision=revision, judge=judge)["asked"] == 0


def test_what_stopped_goes_on_and_asks_nothing_twice(judged, monkeypatch):
    result, revision = judged
    monkeypatch.setattr(model_judges, "BATCH", 4)
    with pytest.raises(SystemFault):
        model_judges.judge_round(round_=result, revision=revision, judge=YesJudge(stop_after=4))
    count = MachineJudgement.objects.count()
    assert count == 4
    judge = YesJudge()
    model_judges.judge_round(round_=result, revision=revision, judge=judge)
    assert len(judge.seen) + count == MachineJudgement.objects.count()


def test_the_report_holds_it_against_people_and_mixes_it_into_nothing(judged):
    result, revision = judged
    round_control.apply_action(round_=result, action="unblind", by=None)
    by_key_before = {table["key"]: table["rows"] for table in report_jobs.make_report(result)["tables"]}
    model_judges.judge_round(round_=result, revision=revision, judge=YesJudge())
    by_key_after = {table["key"]: table["rows"] for table in report_jobs.make_report(result)["tables"]}
    judges = by_key_after.pop("judges")
    assert [row[0]["value"] for row in judges] == ["judge, revision 1"] * len(judges)
    assert sum(row[-1]["value"] for row in judges) == 1
    assert max(row[2]["value"] for row in judges) == 1
    raters = by_key_after.pop("raters")
    assert len(raters) == len(by_key_before.pop("raters")) + 1
    assert by_key_after == by_key_before
    assert MachineJudgement.objects.filter(answer=INVALID).get().said == "perhaps"


def test_staff_start_a_judge_on_the_rounds_page(judged, client):
    result, revision = judged
    client.force_login(member(result.project, "researcher", Role.RESEARCHER))
    url = reverse("round", args=[result.project.slug, result.public_id])
    assert str(revision) in client.get(url).content.decode()
    assert client.post(url, {"do": "judge", "j-judge": str(revision.pk + 1)}).status_code == 200
    assert client.post(url, {"do": "judge", "j-judge": str(revision.pk)}).status_code == 302
    job = Job.objects.get(kind=model_judges.KIND)  # the unknown one made none
    assert job.arguments == {"round": result.pk, "revision": revision.pk, "system": "judge"}
    SystemRevision.objects.filter(pk=revision.pk).update(role="generate")
    assert "Models as raters" not in client.get(url).content.decode()


EXAMPLES = """[system]
key = "judge"
kind = "chat-judge"

[options]
server = "lab"
model = "tiny"

[options.examples]
n = 2
"""


def test_a_judge_with_worked_examples_is_shown_those_of_the_round(judged):
    result, revision = judged
    judge = YesJudge()
    model_judges.judge_round(round_=result, revision=revision, judge=judge, n_examples=1)
    by_key = {question: request.examples for request, question, _answers in judge.seen}
    topic = next(examples for question, examples in by_key.items() if "topic" in question.lower())
    assert [(example.id, example.answer, example.text) for example in topic] == [
        ("example 1", "No", "Visitors will pay 5 crowns instead of 4 for the night ferry.")
    ]
    lines = [segment["text"] for segment in topic[0].segments]
    assert lines[0].startswith("The council voted") and lines[1].startswith("Requested: Topic: fares, review.")


def test_the_judge_itself_does_not_ask_for_the_examples_of_a_run(judged, monkeypatch):
    _result, revision = judged
    SystemRevision.objects.filter(pk=revision.pk).update(kind="chat-judge", config_toml=EXAMPLES)
    revision.refresh_from_db()
    monkeypatch.setattr("epitome.systems.registry.make_system", lambda config: config)
    judge, n_examples = model_judges.make_judge(revision)
    assert n_examples == 2 and judge.settings.examples is None


def test_worked_examples_of_a_pair_come_with_both_texts(db):
    project = project_with_gold(documents=4)
    make_run(project, "lead")
    raters_of(project)
    round_ = launch_new_round(project, n=2, template="pairwise-preference", more=RUN)
    question = round_.rules.questions[0]
    examples = list_worked_examples(round_.items.first(), question)
    assert examples and all(len(example.candidates) == 2 and not example.text for example in examples)
    assert {example.answer for example in examples} <= {option.label for option in question.asks.options(question)}
