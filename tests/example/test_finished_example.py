"""The finished example as its visitors find it: complete, with something left to do for everybody."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.jobs import JobPaused, JobRefused, NoProgress
from annotation.models import (
    Annotation,
    Assignment,
    AssignmentState,
    Contrastive,
    Inspection,
    Job,
    OverlapMark,
    Project,
    Question,
    Release,
    Ruling,
    Sample,
    SourceDocument,
)
from annotation.services.inspection import queue
from epitome.schema import load_preset
from evaluation.models import Judgement, RatingSlot, Round, RoundState
from evaluation.services.example import (
    content,
    finished,
    inspecting,
    local_model_run,
    rating,
    removing,
    resetting,
    steps,
)
from evaluation.services.reports import report_jobs
from modelbridge.models import Run, SystemOutput
from tests.reports.stored_tables import compute_tables

pytestmark = pytest.mark.django_db


def signed_in(name: str) -> Client:
    client = Client()
    client.force_login(User.objects.get(username=name))
    return client


def list_page_urls(project: Project) -> list[str]:
    """Every page of the project that its main navigation leads to, and those of its rounds and runs."""
    plain = (
        *("project", "annotations", "skips", "ledger", "steering", "documents", "samples", "statistics", "export"),
        *("inspection", "inspection-acceptance", "overlap", "questions", "guideline", "members", "jobs", "audit"),
        *("systems", "runs", "runs-compare", "project-tables", "rounds", "work", "rating", "pilot", "project-settings"),
        "progress",
    )
    urls = [reverse(name, args=[project.slug]) for name in plain]
    for round_ in Round.objects.filter(project=project):
        urls += [reverse(name, args=[project.slug, round_.public_id]) for name in ("round", "round-report")]
    urls += [reverse("run", args=[project.slug, run.public_id]) for run in Run.objects.filter(project=project)]
    return urls


def test_the_writing_is_complete_and_lies_in_three_past_weeks(finished_project: Project) -> None:
    written = Annotation.objects.filter(project=finished_project)
    assert SourceDocument.objects.filter(project=finished_project).count() == 12
    assert written.filter(revision=1).count() >= 80
    writers = Counter(written.values_list("assignment__annotator__username", flat=True))
    assert set(writers) == set(finished.WRITERS) and min(writers.values()) >= 10
    times = list(written.values_list("created_at", flat=True))
    assert max(times) < timezone.now() - timedelta(days=10)
    assert len({moment.isocalendar().week for moment in times}) >= 3
    assert all(row["active_seconds"] > 60 for row in written.filter(revision=1).values_list("timings", flat=True))


def test_the_requests_are_those_that_the_summaries_were_written_for(finished_project: Project) -> None:
    length = load_preset(content.PRESET).attribute("length")
    for annotation in Annotation.objects.filter(project=finished_project).latest_revisions().select_related("sample"):
        low, high = length.band_words(annotation.sample.values["length"], 0)
        n_words = len(annotation.payload["summary"].split())
        returned = Assignment.objects.get(pk=annotation.assignment_id).state in ("returned", "rejected")
        assert returned or low <= n_words <= high


def test_reviewers_returned_rejected_and_accepted_and_have_work_left(finished_project: Project) -> None:
    verdicts = Counter(Inspection.objects.filter(project=finished_project).values_list("verdict", flat=True))
    assert verdicts["revise"] >= 5 and verdicts["reject"] >= 1 and verdicts["accept"] >= 40
    assert Annotation.objects.filter(project=finished_project, revision=2).count() >= 5
    reviewer = User.objects.get(username="reviewer")
    assert queue.next_to_inspect(project=finished_project, reviewer=reviewer) is not None


def test_questions_rulings_skips_and_overlap(finished_project: Project) -> None:
    assert Question.objects.filter(project=finished_project, answered_at__isnull=False).count() >= 2
    assert Ruling.objects.filter(project=finished_project).count() == 1
    skipped = Assignment.objects.filter(project=finished_project, state=AssignmentState.SKIPPED)
    assert skipped.count() == 2
    twice = Counter(
        Assignment.objects.filter(project=finished_project, state__in=AssignmentState.LIVE_SUBMITTED).values_list(
            "sample", flat=True
        )
    )
    assert sum(n == 2 for n in twice.values()) == 10
    assert OverlapMark.objects.filter(project=finished_project).count() == inspecting.MARKED


def test_systems_ran_over_every_written_sample(finished_project: Project) -> None:
    runs = Run.objects.filter(project=finished_project)
    assert {run.revision.system.key for run in runs} == set(finished.SYSTEMS)
    n_samples = Sample.objects.filter(project=finished_project).exclude(document__external_id="glass-works").count()
    assert {run.n_samples for run in runs} == {n_samples}
    assert not SystemOutput.objects.filter(run__in=runs).exclude(state="done").exists()


def test_contrastive_examples_of_accepted_summaries_are_made(finished_project: Project) -> None:
    examples = Contrastive.objects.active().filter(project=finished_project)
    golds = Counter(examples.values_list("annotation", flat=True))
    assert len(golds) >= 10 and max(golds.values()) <= 12
    assert len(set(examples.values_list("rule", flat=True))) >= 5


def test_two_rounds_are_reported_and_one_waits(finished_project: Project) -> None:
    states = dict(Round.objects.filter(project=finished_project).values_list("name", "state"))
    assert states == {
        rating.YES_NO: RoundState.UNBLINDED,
        rating.PAIRS: RoundState.UNBLINDED,
        rating.OPEN: RoundState.OPEN,
    }
    for round_ in Round.objects.filter(project=finished_project):
        slots = Counter(RatingSlot.objects.filter(round=round_).values_list("state", flat=True))
        assert (slots["open"] > 0) == (round_.name == rating.OPEN)
        assert (report_jobs.stored_report(round_) is not None) == (round_.name != rating.OPEN)


def test_raters_judge_what_the_texts_do(finished_project: Project) -> None:
    """Lead knows no topic and controlled-extract does; human summaries name every one of theirs."""
    shares = {}
    answers = Judgement.objects.filter(round__project=finished_project, question="topic").select_related("item")
    for target in ("gold", "lead", "controlled-extract"):
        other_answers = [row.answer for row in answers if row.item.targets[0]["target"] == target]
        shares[target] = other_answers.count("yes") / len(other_answers)
    assert shares["gold"] > 0.9
    assert shares["controlled-extract"] > shares["lead"]


def test_every_page_opens_for_the_admin(finished_project: Project) -> None:
    client = signed_in("admin")
    blind = reverse(
        "round-report",
        args=[finished_project.slug, Round.objects.get(project=finished_project, name=rating.OPEN).public_id],
    )
    statuses = {url: client.get(url, follow=True).status_code for url in list_page_urls(finished_project)}
    statuses.pop(blind)
    assert {url: status for url, status in statuses.items() if status != 200} == {}


@pytest.mark.parametrize(("user", "n_pages"), [("admin", 5), ("reviewer", 2)])
def test_the_tour_leads_to_what_its_visitor_may_open_and_can_be_hidden(finished_project, user, n_pages) -> None:
    client, overview = signed_in(user), reverse("project", args=["example-finished"])
    home = client.get(reverse("home")).content.decode()
    assert f'href="{overview}"' in home
    page = client.get(overview).content.decode()
    tour = page.split('<section class="tour"')[1].split("</section>")[0]
    links = [word.split('"')[0] for word in tour.split('<a href="')[1:]]
    assert [client.get(url).status_code for url in links] == [200] * n_pages

    client.post(reverse("tour-dismiss", args=["example-finished"]))
    assert '<section class="tour"' not in client.get(overview).content.decode()


def test_tables_warn_of_few_sources(finished_project: Project) -> None:
    client, slug = signed_in("admin"), finished_project.slug
    tables = compute_tables(client, reverse("project-tables", args=[slug]))
    assert "Only 10 sources: below 20, intervals are rough" in tables
    overlap = client.get(reverse("overlap", args=[slug])).content.decode()
    assert "Only 2 sources: below 20, intervals are rough" in overlap


def test_annotator_and_rater_have_something_to_do(finished_project: Project) -> None:
    answer = signed_in("annotator1").post(reverse("next-task", args=[finished_project.slug]))
    assert answer.status_code == 302 and "/tasks/" in answer.url
    page = signed_in("rater1").get(reverse("rating", args=[finished_project.slug])).content.decode()
    assert "Round 3" in page


def test_filling_again_changes_nothing(finished_project: Project) -> None:
    n_jobs = Job.objects.filter(project=finished_project).count()
    assert finished.fill_project(finished_project) == {"steps": 0}
    assert finished.ensure_project() == finished_project
    assert finished.start_filling(finished_project) is None
    assert Job.objects.filter(project=finished_project).count() == n_jobs


def test_only_a_demo_can_be_reset_and_only_after_the_box_is_ticked(finished_project: Project, settings) -> None:
    url, client = reverse("examples-reset"), signed_in("admin")
    assert client.get(url).status_code == 404
    assert client.post(url, {"confirmed": "yes"}).status_code == 404

    settings.EPITOME_DEMO = True
    assert signed_in("researcher").post(url, {"confirmed": "yes"}).status_code == 404
    assert client.post(url).status_code == 422
    assert not Job.objects.filter(kind=resetting.KIND).exists()
    assert client.post(url, {"confirmed": "yes"}).status_code == 302
    assert client.post(url, {"confirmed": "yes"}).status_code == 302
    assert Job.objects.filter(kind=resetting.KIND).count() == 1


def test_a_reset_removes_all_rows_and_makes_the_projects_anew(finished_project: Project, settings, monkeypatch) -> None:
    settings.EPITOME_DEMO = True
    other = Project.objects.create(slug="other", name="Other", domain="document", preset="macsum-doc")
    monkeypatch.setattr(resetting.example, "load_example", lambda: None)
    job = resetting.start_reset(by=User.objects.get(username="admin"))

    result = resetting.run_reset(job, NoProgress())

    assert result == {"removed": 2}
    assert Project.objects.filter(pk=other.pk).exists()
    project = Project.objects.get(slug=finished.SLUG)
    assert project.pk != finished_project.pk
    for model, path in removing.find_paths().items():
        assert not model._base_manager.filter(**{path: finished_project.pk}).exists(), model.__name__
    assert Job.objects.filter(project=project, kind=finished.KIND, state="queued").exists()


def test_a_release_is_frozen(finished_project: Project) -> None:
    release = Release.objects.get(project=finished_project, tag=finished.TAG)
    assert release.content_hash
    job = Job.objects.get(project=finished_project, kind="export")
    assert job.result["counts"]["summaries"] >= 40


def test_a_run_that_its_worker_left_keeps_its_times_and_is_gone_on_with(finished_project: Project, monkeypatch) -> None:
    with monkeypatch.context() as stopped:
        stopped.setattr(steps.run_worker, "work_in_process", lambda run, progress: None)
        with pytest.raises(JobPaused):
            steps.run_system(finished_project, "random")
    run = Run.objects.get(project=finished_project, revision__system__key="random")
    steps.run_system(finished_project, "random")
    assert list(Run.objects.done().filter(revision__system__key="random")) == [run]
    started_at = run.created_at
    run.refresh_from_db()
    assert run.created_at < started_at, "dated back once it is done"
    run.delete()


def test_a_served_model_is_run_and_rated_once(finished_project: Project, monkeypatch) -> None:
    plan = replace(local_model_run.PLAN, runs=("controlled-extract", "random"), n=4)
    monkeypatch.setattr(local_model_run, "SYSTEMS", ("random",))
    monkeypatch.setattr(local_model_run, "PLAN", plan)
    job = local_model_run.start_job(finished_project)
    with pytest.raises(JobRefused, match="is not served"):
        local_model_run.run_model(job, NoProgress())
    monkeypatch.setattr(local_model_run, "is_served", lambda: True)

    assert local_model_run.run_model(job, NoProgress()) == {"steps": 2}

    run = Run.objects.get(project=finished_project, revision__system__key="random")
    round_ = Round.objects.get(project=finished_project, name=plan.name)
    assert run.state == "done" and round_.state == RoundState.UNBLINDED
    assert report_jobs.stored_report(round_) is not None
    judged = {row.item.targets[0]["target"] for row in Judgement.objects.filter(round=round_).select_related("item")}
    assert {"gold", "random", "controlled-extract"} <= judged
    Job.objects.update(state="done")
    assert local_model_run.start_job(finished_project) is None
