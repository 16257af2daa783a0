"""The page of a construction: steps started, estimated and stopped, rewrites accepted and dropped."""

import json

import pytest
from django.contrib.auth.models import User

from annotation.jobs import run_job
from annotation.models import Annotation, AuditEvent, Job, Sample
from annotation.services.exports.exporting import ExportOptions, export_to
from annotation.services.people.projects import create_project
from modelbridge.models import ConstructedSample, ConstructionStep, RewriteVerdict
from modelbridge.services.construction.rewrite_pairs import judge_rewrite

pytestmark = [pytest.mark.django_db(transaction=True)]
PAGE = "/p/papers/construction/"


@pytest.fixture
def researcher(client):
    client.force_login(User.objects.create_superuser("researcher"))
    return client


def post_step(client, step, do="start", **values):
    data = {"step": step, "do": do, **{f"{step}-{name}": value for name, value in values.items()}}
    return client.post(PAGE, data, follow=True)


def work_off():
    for job in Job.objects.filter(kind="construction", state="queued"):
        run_job(job.pk)


def test_a_step_is_started_from_its_form_and_its_row_tells_how_it_went(researcher, project, rewriter, server):
    answer = post_step(researcher, "readability", system="rewriter", seed=3, n=6)
    assert ConstructionStep.objects.get().options == {"n": 6}
    assert "Stop Readability" in answer.content.decode()
    work_off()
    page = researcher.get(PAGE).content.decode()
    assert "6 done, 0 failed, 0 left" in page and "EUR" in page and "Compare rewrites of Readability" in page
    assert "Start Readability" not in page and "Resume Readability" not in page
    assert "First come the steps: Focus." in page and "Start Length" not in page


def test_an_estimate_asks_nobody(researcher, project, rewriter, server):
    answer = post_step(researcher, "focus", "check", system="rewriter", seed=0, n=4).content.decode()
    assert "At most 8 calls." in answer and "Estimated cost" in answer
    assert not server.asked and not ConstructionStep.objects.exists()


def test_how_keywords_are_compared_and_shared_is_chosen_on_the_page(researcher, project, rewriter, server):
    post_step(researcher, "keywords", seed=4, exact="on")
    assert ConstructionStep.objects.get(key="keywords").options == {"exact": True}
    for step in ("readability", "focus"):
        post_step(researcher, step, system="rewriter", seed=0, n=20)
    post_step(researcher, "splits", seed=0)
    work_off()
    sizes = {"train": 5, "dev": 4, "test": 3}
    answer = post_step(researcher, "compositional", system="rewriter", seed=0, keyword_share="1.5", **sizes)
    assert answer.status_code == 422 and not ConstructionStep.objects.filter(key="compositional").exists()
    post_step(researcher, "compositional", system="rewriter", seed=0, keyword_share="0.25", **sizes)
    options = ConstructionStep.objects.get(key="compositional").options
    assert options == {**sizes, "exact": False, "keyword_share": 0.25}
    assert "<dt>Seed</dt>" in "".join(researcher.get(PAGE).content.decode().split("\n"))


def test_a_step_is_stopped_and_resumed(researcher, project, rewriter, server):
    post_step(researcher, "readability", system="rewriter", seed=0, n=3)
    assert "Resume Readability" in post_step(researcher, "readability", "stop").content.decode()
    assert ConstructionStep.objects.get().state == "cancelled"
    post_step(researcher, "readability", system="rewriter")
    work_off()
    assert ConstructionStep.objects.get().state == "done" and len(server.answered) == 3


def test_a_form_that_does_not_fit_is_shown_again(researcher, project, rewriter):
    answer = researcher.post(PAGE, {"step": "readability", "do": "start", "readability-system": "rewriter"})
    assert answer.status_code == 422 and not ConstructionStep.objects.exists()


def test_without_a_system_the_page_says_so(researcher, project):
    assert "No system that rewrites yet" in researcher.get(PAGE).content.decode()


def test_without_a_system_no_step_that_asks_one_can_be_started(researcher, project):
    page = researcher.get(PAGE).content.decode()
    assert "Start Keywords" in page and "Start Readability" not in page and "add a system that rewrites first" in page


def test_a_project_of_other_attributes_cannot_be_constructed(researcher):
    create_project(slug="news", schema="macsum-doc")
    assert "needs the attributes of the preset ccsbench" in researcher.get("/p/news/construction/").content.decode()


def test_pairs_stand_side_by_side_with_what_changed(researcher, project, run_step, django_assert_max_num_queries):
    run_step("readability", n=2)
    with django_assert_max_num_queries(18):
        page = researcher.get(f"{PAGE}readability/pairs/").content.decode()
    assert page.count("Accept rewrite") == 2 and "<ins" in page and "<del" in page
    others = researcher.get(f"{PAGE}readability/pairs/?draw=1").content.decode()
    assert others.count("Drop rewrite") == 2
    assert researcher.get(f"{PAGE}focus/pairs/").status_code == 404
    assert researcher.get(f"{PAGE}nothing/pairs/").status_code == 404


def test_a_page_draws_twenty_pairs_and_others_with_another_draw(researcher, project, run_step):
    run_step("focus")
    run_step("readability")
    first, second = (
        [pair.rewrite.pk for pair in researcher.get(f"{PAGE}focus/pairs/?draw={draw}").context["pairs"]]
        for draw in (0, 1)
    )
    assert first != second
    assert len(researcher.get(f"{PAGE}readability/pairs/").context["pairs"]) == 20


def test_a_dropped_text_leaves_every_set_and_an_accepted_one_comes_back(researcher, project, constructed, tmp_path):
    again = ConstructedSample.objects.filter(origin="rewrite:compositional", rewrite__subject="empirical")[0]
    focus = again.rewrite.base.sample.constructed.rewrite
    samples = Sample.objects.filter(constructed__rewrite=focus, constructed__aspect="empirical")
    assert len({sample.constructed.step.key for sample in samples}) > 1
    ids = {*samples.values_list("pk", flat=True), again.sample_id}

    def judge(verdict):
        url = f"{PAGE}rewrites/{focus.public_id}/verdict/"
        return researcher.post(url, {"aspect": "empirical", "verdict": verdict, "draw": "2"})

    broken = {"aspect": "a\r\nb", "verdict": "drop"}
    refused = researcher.post(f"{PAGE}rewrites/{focus.public_id}/verdict/", broken, follow=True)
    assert refused.status_code == 200 and "This rewrite has no such text." in refused.content.decode()
    answer = judge("drop")
    assert answer["Location"] == f"{PAGE}focus/pairs/?draw=2#p-{focus.public_id}-empirical"
    assert set(Sample.objects.filter(state="void").values_list("pk", flat=True)) == ids
    exported_before = count_exported(project, tmp_path)
    assert exported_before[0] == Annotation.objects.count() - len(ids) and exported_before[1]["left_out"] == {
        "dropped": len(ids)
    }

    judge_rewrite(rewrite=again.rewrite, aspect="summary", verdict="drop", by=None)
    judge("accept")
    assert set(Sample.objects.filter(state="void").values_list("pk", flat=True)) == {again.sample_id}
    judge_rewrite(rewrite=again.rewrite, aspect="summary", verdict="accept", by=None)
    assert not Sample.objects.filter(state="void").exists() and set(
        RewriteVerdict.objects.values_list("verdict", flat=True)
    ) == {"accept"}
    assert count_exported(project, tmp_path)[0] == Annotation.objects.count()
    assert AuditEvent.objects.filter(verb="rewrite.judge").count() == 4


def count_exported(project, folder):
    """(number of summaries in the file, its manifest)."""
    manifest = export_to(project=project, path=folder / "out.jsonl", options=ExportOptions())
    lines = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
    return sum(line["task"] == "summary" for line in lines), manifest


def test_a_release_keeps_what_was_dropped_later(project, run_step, tmp_path):
    step = run_step("readability", n=3)
    options = ExportOptions(release="v1")
    export_to(project=project, path=tmp_path / "first.jsonl", options=options)
    for call in step.rewrites.all():
        judge_rewrite(rewrite=call, aspect="summary", verdict="drop", by=None)
    export_to(project=project, path=tmp_path / "second.jsonl", options=options)
    assert (tmp_path / "first.jsonl").read_bytes() == (tmp_path / "second.jsonl").read_bytes()


def test_a_rewrite_that_is_dropped_before_the_step_ends_is_in_no_set_until_it_is_accepted(project, rewriter, server):
    from epitome.systems.protocol import Output
    from modelbridge.services.construction import calls, step_worker, steps

    step = steps.start_step(
        project=project, key="readability", revision=rewriter, options={"n": 3}, by=None, queue_it=False
    )
    (call,) = calls.claim_calls(step, rewriter, "here:1:x", 1)
    calls.store_answer(call, "here:1:x", Output("Put badly."), [])
    call.refresh_from_db()
    judge_rewrite(rewrite=call, aspect="summary", verdict="drop", by=None)
    step_worker.work_in_process(step)
    step.refresh_from_db()
    assert step.result["left_out"] == {"dropped": 1} and step.result["stored"] == 5
    dropped = Sample.objects.get(state="void")
    assert (dropped.constructed.rewrite, dropped.attributes) == (call, {"readability": "high"})
    judge_rewrite(rewrite=call, aspect="summary", verdict="accept", by=None)
    assert not Sample.objects.filter(state="void").exists()


def test_the_manifest_says_how_the_splits_came_about(project, constructed, tmp_path):
    manifest = export_to(project=project, path=tmp_path / "out.jsonl", options=ExportOptions())
    steps = manifest["construction"]
    assert set(steps) == set(constructed)
    assert steps["splits"]["result"]["splits"]["by"] == "origin"
    assert steps["readability"]["system"] == "rewriter@1" and steps["readability"]["seed"] == 7


def test_exports_of_other_projects_have_no_construction(project, tmp_path):
    assert "construction" not in export_to(project=project, path=tmp_path / "o.jsonl", options=ExportOptions())
