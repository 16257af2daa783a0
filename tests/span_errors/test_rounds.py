"""A round of marked errors: answered, exported blind and open, judged by a model, reported, withdrawn."""

import json

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Annotation, Job, JobState, Project, Role
from annotation.services.core.errors import BadInput
from annotation.services.withdrawal.texts import TEXT_HOLDERS
from epitome.systems.protocol import Output, SystemFault
from evaluation.models import Judgement, MachineJudgement, RoundText
from evaluation.services.monitoring import rater_quality, round_control
from evaluation.services.rating import answers as rating_answers
from evaluation.services.rating import item_payload
from evaluation.services.rating.model_judges import judge_round
from evaluation.services.reports import adjudication, judgements, report_jobs
from evaluation.services.withdrawal import round_texts
from modelbridge.models import System, SystemRevision
from tests.reports.judges import YesJudge
from tests.rounds.factories import claim, launch_new_round, make_run, member, project_with_gold, raters_of
from tests.rounds.forms import rate_items
from tests.span_errors.factories import mark, round_text, stored

pytestmark = pytest.mark.django_db


@pytest.fixture
def marked():
    """A launched round of gold and one system; (round, raters)."""
    project = project_with_gold()
    make_run(project, "lead", text="The council refused to pay.")
    raters = raters_of(project)
    return launch_new_round(project, text=round_text()), raters


def save(assignment, answer, **more):
    payload = {"answers": {"errors": {"answer": answer}}}
    return rating_answers.save_answers(assignment=assignment, payload=payload, **more)


def mark_lead(assignment):
    """The first words of the system's texts, nothing in gold."""
    is_lead = assignment.item.targets[0]["target"] == "lead"
    return {"errors": stored(mark(4, 11), {"category": "omission", "severity": "minor"}) if is_lead else "[]"}


def test_marks_are_stored_and_counted_in_code_points_of_the_text(marked):
    round_, raters = marked
    assignment = claim(round_, raters[0])
    length = len(assignment.item.first.text)
    with pytest.raises(BadInput) as refused:
        save(assignment, stored(mark(0, length + 1)))
    assert refused.value.field == "answers.errors" and not Judgement.objects.exists()
    save(assignment, stored(mark(length - 1, length)), finish=True)
    assert Judgement.objects.get().answer == stored(mark(length - 1, length))
    save(assignment, "[]", revision=1)
    assert Judgement.objects.get().answer == "[]"


def test_an_item_is_open_until_something_is_marked_or_nothing_is_wrong(marked):
    round_, raters = marked
    assignment = claim(round_, raters[0])
    with pytest.raises(BadInput, match="Still open"):
        rating_answers.save_answers(assignment=assignment, payload={"answers": {}}, finish=True)
    save(assignment, "[]", finish=True)


def test_the_page_and_its_data_name_no_system_and_nobody_elses_marks(marked):
    round_, raters = marked
    rate_items(round_, raters[0], mark_lead)
    assignment = claim(round_, raters[1])
    item = item_payload.describe_item(assignment)
    (question,) = item["questions"]
    assert [severity["value"] for severity in question["severities"]] == ["minor", "major", "critical"]
    assert question["omission"] == "Something is missing" and item["payload"]["answers"] == {}
    client = Client()
    client.force_login(raters[1])
    page = client.get(item["page"]).content.decode()
    assert "data-marking" in page and "Accuracy" in page and "critical" in page
    assert '"start"' not in page and not {"gold", "lead"} & {word.strip('",') for word in page.split()}
    assert '"gold"' not in page and '"lead"' not in page


def test_the_export_quotes_the_marked_words(marked):
    round_, raters = marked
    rate_items(round_, raters[0], mark_lead)
    lines = [json.loads(line) for line in judgements.export_jsonl(round_)]
    assert not any("system" in line for line in lines) and len(lines) == 8
    quoted = [line["marks"] for line in lines if line["marks"]]
    assert quoted == [[{**mark(4, 11), "quote": "council"}, {"category": "omission", "severity": "minor"}]] * 4
    assert b"council" not in b"".join(judgements.export_csv(round_))  # the columns of the table hold no texts


def test_the_report_of_a_round_has_scores_agreement_figures_and_no_disputes(marked):
    round_, raters = marked
    for rater in raters:
        rate_items(round_, rater, mark_lead)
    round_control.apply_action(round_=round_, action="unblind", by=None)

    report = report_jobs.make_report(round_)

    tables = {table["key"]: table for table in report["tables"]}
    scores = {row[0]["value"]: row[2]["value"] for row in tables["span-errors"]["rows"]}
    # 5 + 1 over the 5 words of every text.
    assert scores == {"gold": 0, "lead": -120}
    agreement = [cell["value"] for cell in tables["span-agreement"]["rows"][0]]
    assert agreement[1:] == [8, 2, 1, 1, 1, 1, 1]
    assert not {"agreement", "judges"} & set(tables) and "span-errors" in report["figures"]
    assert adjudication.list_disputes(round_) == []
    researcher = member(round_.project, "researcher", Role.RESEARCHER)
    client = Client()
    client.force_login(researcher)
    Job.objects.create(
        project=round_.project, kind=report_jobs.KIND, state=JobState.DONE, queue="text",
        arguments={"round": round_.pk}, result={"version": "x", "report": report},
    )  # fmt: skip
    page = client.get(reverse("round-report", args=[round_.project.slug, round_.public_id])).content.decode()
    assert "errors per 100 words" in page and "Texts with the lowest scores" in page and "not adjudicated" in page


def test_repeated_items_count_as_alike_when_most_of_the_words_are(marked):
    round_, raters = marked
    text = round_text(head='shown_as = "Two"').replace('"Errors"', '"Repeats"') + "[quality]\nrepeats = 2\n"
    round_ = launch_new_round(round_.project, text=text)
    rate_items(round_, raters[0], lambda assignment: {"errors": stored(mark(0, 11 + assignment.position % 2))})
    (figures,) = [row for row in rater_quality.rater_figures(round_) if row.rater_id == raters[0].pk]
    assert (figures.repeats, figures.repeats_alike) == (2, 2)


class MarkingJudge(YesJudge):
    """Marks "council" where it stands; to the second text something else is said, to the third a wrong quote."""

    key = "gpt"

    def mark(self, batch, question, kinds):
        assert kinds.categories[0] == "Accuracy" and kinds.omission == "Something is missing"
        outputs = []
        for request in batch:
            self.seen.append(request)
            quote = "council" if "council" in request.text else request.text.split()[0]
            quotes = [quote, "never said"] if len(self.seen) == 3 else [quote]
            marks = [{"quote": words, "category": "Accuracy", "severity": "Major"} for words in quotes]
            outputs.append(Output("No errors at all." if len(self.seen) == 2 else json.dumps(marks)))
        return outputs


def judge_of(project):
    system = System.objects.create(project=project, key="gpt", name="gpt")
    return SystemRevision.objects.create(
        system=system, number=1, kind="chat-judge", role="judge", config_toml="", config_hash="gpt"
    )


def test_a_models_quotes_become_marks_and_what_is_not_found_is_counted(marked):
    round_, raters = marked
    for rater in raters:
        rate_items(round_, rater, mark_lead)
    revision = judge_of(round_.project)
    counts = judge_round(round_=round_, revision=revision, judge=MarkingJudge())
    assert counts == {"asked": 8, "invalid": 1}
    assert judge_round(round_=round_, revision=revision, judge=MarkingJudge())["asked"] == 0
    lines = [json.loads(line) for line in judgements.export_judges(round_)]
    assert sum(line.get("unaligned", 0) for line in lines) == 1
    assert {quoted["quote"] for line in lines for quoted in line.get("marks", [])} >= {"council"}
    assert "never said" in MachineJudgement.objects.get(provenance__unaligned=1).said

    round_control.apply_action(round_=round_, action="unblind", by=None)
    tables = {table["key"]: table for table in report_jobs.make_report(round_)["tables"]}
    (row,) = tables["span-judges"]["rows"]
    assert [row[place]["value"] for place in (0, 2, 7, 8)] == ["gpt, revision 1", 7, 1, 1]
    assert "judges" not in tables
    assert {row[0]["value"] for row in tables["span-errors"]["rows"]} == {"gold", "lead"}


def test_a_judge_that_cannot_mark_says_so(marked):
    round_, _raters = marked
    judge = YesJudge()
    judge.key = "yes"
    with pytest.raises(SystemFault, match="cannot mark errors"):
        judge_round(round_=round_, revision=judge_of(round_.project), judge=judge)
    assert not MachineJudgement.objects.exists()


def test_a_withdrawn_summary_stands_in_no_report(marked, monkeypatch):
    round_, raters = marked
    for rater in raters:
        rate_items(round_, rater, lambda assignment: {"errors": stored(mark(0, 4))})
    round_control.apply_action(round_=round_, action="unblind", by=None)
    job = report_jobs.start_report(round_=round_, by=None)
    report = {"version": "x", "report": report_jobs.make_report(round_)}
    Job.objects.filter(pk=job.pk).update(state=JobState.DONE, result=report)
    rows = report["report"]["figures"]["span-errors"][1]["rows"]
    words = next(row["words"] for row in rows if "Gold" in row["words"])
    copied = RoundText.objects.get(round=round_, text=" ".join(words))
    golds = Annotation.objects.filter(payload__summary=copied.text)
    monkeypatch.setattr(round_texts, "stored_summaries", lambda projects, person: golds)

    TEXT_HOLDERS["round_copies"].empty(Project.objects.filter(pk=round_.project_id), 0)

    copied.refresh_from_db()
    job.refresh_from_db()
    assert (copied.text, job.result) == ("", {})
    tables = {table["key"]: table for table in report_jobs.make_report(round_)["tables"]}
    answers_counted = {row[0]["value"]: row[2]["n"] for row in tables["span-errors"]["rows"]}
    assert answers_counted == {"gold": 6, "lead": 8}  # a text without words is left out
