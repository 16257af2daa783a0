"""Pages of CCSBench, contrastive examples and aggregations with content: nothing overflows, axe finds nothing."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from annotation.models import Annotation, Contrastive, RankingList, Sample
from annotation.services.contrastives import making
from annotation.services.contrastives.set_options import SetOptions
from annotation.services.scores import score_jobs
from evaluation.services.cases import cases
from evaluation.services.judge_checks import check_draws
from modelbridge.models import SystemOutput
from tests.aggregations.factories import make_instances
from tests.bridge_pages.conftest import tagger  # noqa: F401  a fixture
from tests.browser.test_aggregation import open_task
from tests.browser.test_every_page import AXE, AXE_RUN, HERE, SCHEMES, WIDTHS
from tests.browser.test_rounds import shot
from tests.changes.test_change_studies import base, finish, judge, project, study, write_by_request, write_texts  # noqa: F401
from tests.contrastive_report.factories import add_gold, score_run
from tests.contrastive_report.test_contrastive_report import FIRST
from tests.contrastive_report.test_contrastive_report import GOLDS as SCORED_GOLDS
from tests.contrastives.factories import make_gold_project
from tests.export.factories import news
from tests.rankings.factories import make_ranked_project
from tests.rankings.test_rank_runs import WRITER, rank_here

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture
def researcher(settings) -> User:
    settings.EPITOME_FAKE_SYSTEMS = True
    return User.objects.create_superuser("researcher")


def look_at(page, name):
    """What overflows at any width, and what axe finds in light or dark; screenshots where a folder is named."""
    layout, faults = (HERE / "layout.js").read_text(encoding="utf-8"), []
    if AXE.exists():
        page.evaluate(f"() => {{ {AXE.read_text(encoding='utf-8')} }}")
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            faults += [f"{name} at {width} {scheme}: {fault}" for fault in page.evaluate(layout)]
            if width in (390, 1440):
                shot(page, f"{name}-{width}-{scheme}", whole=True)
        if AXE.exists():
            faults += [f"{name} {scheme}: {fault}" for fault in page.evaluate(AXE_RUN)]
    return faults


def look_at_all(open_page, person, addresses):
    """addresses: name -> address."""
    faults, page = [], None
    for name, address in addresses.items():
        if page is None:
            page = open_page(person, address)
        else:
            page.goto(page.url.partition("/p/")[0] + address)
        assert page.locator("h1").count() == 1, name
        faults += look_at(page, name)
    assert not faults, "\n".join(faults)


def test_pages_of_ccsbench(open_page, researcher, study, tagger):  # noqa: F811
    study = finish(study)
    for run in (study.base, *study.runs):
        write_texts(run, write_by_request)
        judge(study.base.project, run, lambda sample: ("conceptual", "empirical")[sample.pk % 2])
    slug = study.base.project.slug
    score_jobs.score_project(project=study.base.project, tagger=tagger)
    output = SystemOutput.objects.filter(run=study.base, state="done").first()
    cases.store_case(output=output, label="focus affects readability", note="Both changed.", by=researcher)
    for gold in Annotation.objects.filter(project=study.base.project):
        gold.payload["summary"] = f"Part {gold.pk} of what was measured."
        gold.save()
    check = check_draws.draw_check(
        project=study.base.project, question="focus", over="references", n=6, seed=0, by=researcher
    )
    look_at_all(
        open_page,
        researcher,
        {
            "ccsbench-run": reverse("run", args=[slug, study.base.public_id]),
            "ccsbench-changes": reverse("run-changes", args=[slug, study.base.public_id]),
            "ccsbench-tables": reverse("project-tables", args=[slug]),
            "ccsbench-compare": reverse("runs-compare", args=[slug]) + f"?run={study.base.public_id}",
            "ccsbench-cases": reverse("cases", args=[slug]),
            "ccsbench-case-new": reverse("case-new", args=[slug, output.public_id]),
            "ccsbench-judge-check": reverse("judge-check", args=[slug]),
            "ccsbench-judge-label": reverse("judge-check-label", args=[slug, check.public_id]),
            "ccsbench-templates": reverse("round-templates", args=[slug]),
            "ccsbench-template-new": reverse("round-template-new", args=[slug]),
        },
    )


def test_pages_of_contrastive_examples(open_page, researcher, tmp_path):
    gold_project = make_gold_project("robbery")
    making.make_contrastives(project=gold_project, options=SetOptions(), by=researcher)
    assert Contrastive.objects.filter(project=gold_project).count() > 10
    scored = news(tmp_path, n=2)
    samples = Sample.objects.filter(project=scored).order_by("pk")
    for sample, (text, examples) in zip(samples, SCORED_GOLDS.items(), strict=False):
        add_gold(sample, text, examples)
    runs = [
        score_run(scored, FIRST.__getitem__),
        score_run(scored, lambda text: -float(len(text)), key="by-length", label="of the number of characters"),
    ]
    chosen = "&".join(f"run={run.public_id}" for run in runs)
    look_at_all(
        open_page,
        researcher,
        {
            "contrastives": reverse("contrastives", args=[gold_project.slug]),
            "contrastives-import": reverse("contrastives-import", args=[gold_project.slug]),
            "contrastives-run": reverse("run", args=[scored.slug, runs[0].public_id]),
            "contrastives-report": reverse("contrastive-report", args=[scored.slug]) + f"?{chosen}",
        },
    )


def test_pages_of_aggregations(open_page, researcher, tmp_path):
    ranked = make_ranked_project()
    for key in ("rank-random", "rank-frequency"):
        rank_here(ranked, key)
    ranking = RankingList.objects.filter(project=ranked, split="test").first()
    written = rank_here(ranked, "", over="", toml=WRITER)
    written.outputs.filter(sample=ranking.sample).update(
        candidates=[{"text": ranking.candidates[0].upper(), "score": -0.5}, {"text": "something else", "score": -1.5}]
    )
    instances = make_instances(tmp_path)
    look_at_all(
        open_page,
        researcher,
        {
            "tesa-funnel": reverse("aggregation-report", args=[ranked.slug]) + "?release=v1",
            "tesa-rankings": reverse("rankings", args=[ranked.slug]),
            "tesa-ranking-case": reverse("ranking-case", args=[ranked.slug, "v1", ranking.sample.public_id]),
            "tesa-entities": reverse("entities", args=[instances.slug]),
            "tesa-entities-upload": reverse("entities-upload", args=[instances.slug]),
            "tesa-extract": reverse("extract-tuples", args=[instances.slug]),
            "tesa-samples": reverse("samples", args=[instances.slug]),
        },
    )


def test_the_screen_of_an_aggregation(open_page, tmp_path):
    page = open_task(open_page, make_instances(tmp_path))
    page.locator("#answer-1").fill("the two areas")
    page.locator("#answer-2").focus()
    faults = look_at(page, "tesa-task")
    assert not faults, "\n".join(faults)
