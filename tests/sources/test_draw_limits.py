"""A limited draw takes whole sources in a seeded order; later draws continue it, without doubles."""

import pytest
from django.core.management import CommandError, call_command

from annotation.jobs import run_job
from annotation.models import Draw, Project, Sample
from annotation.services.core.errors import BadInput
from annotation.services.people import projects
from annotation.services.sampling import draw as sample_draw
from annotation.services.sampling.draw import DrawLimit
from epitome.sampling import take_within
from tests.sources.conftest import import_, row

pytestmark = pytest.mark.django_db
LONG = "The council met on the bridge and spoke. " * 67  # 536 words: 5 samples
ALGORITHMS = ["uniform", "balanced"]


@pytest.fixture
def sources(news, jsonl):
    import_(news, jsonl(*(row(number, LONG) for number in range(8))))
    return news


def draw(project, most_samples=None, seed=5, **options):
    chosen = sample_draw.default_options(project, seed=seed, **options)
    return sample_draw.sample_attributes(project=project, options=chosen, most_samples=most_samples)


def drawn(project):
    rows = Sample.objects.filter(project=project).order_by("document__external_id", "position")
    return list(rows.values_list("document__external_id", "position", "combination"))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_limited_draws_together_are_the_whole_draw(sources, jsonl, algorithm):
    project = projects.create_project(slug="whole", schema="macsum-doc")
    import_(project, jsonl(*(row(number, LONG) for number in range(8)), name="whole.jsonl"))
    draw(project, algorithm=algorithm)
    counts = draw(sources, 17, algorithm=algorithm)
    assert (counts["samples"], counts["sources"], counts["left_sources"]) == (15, 3, 5)
    assert draw(sources, 17, algorithm=algorithm)["samples"] == 15
    assert draw(sources, algorithm=algorithm)["samples"] == 10
    assert drawn(sources) == drawn(project)
    assert list(Draw.objects.filter(project=sources).order_by("pk").values_list("most_samples", "samples_stored")) == [
        (17, 15),
        (17, 15),
        (None, 10),
    ]


def test_which_sources_are_drawn_is_decided_by_the_seed_and_not_by_their_order(sources, jsonl):
    draw(sources, 15)
    turned = projects.create_project(slug="turned", schema="macsum-doc")
    import_(turned, jsonl(*(row(number, LONG) for number in (6, 2, 7, 0, 4, 1, 5, 3)), name="turned.jsonl"))
    draw(turned, 15)
    assert drawn(turned) == drawn(sources)
    chosen = {external_id for external_id, *_rest in drawn(sources)}
    assert len(chosen) == 3 and chosen != {"doc-0", "doc-1", "doc-2"}
    other = projects.create_project(slug="other", schema="macsum-doc")
    import_(other, jsonl(*(row(number, LONG) for number in range(8)), name="other.jsonl"))
    draw(other, 15, seed=6)
    assert {external_id for external_id, *_rest in drawn(other)} != chosen


def test_a_limit_never_passes_over_a_long_source_for_a_short_one():
    class Plan:
        def __init__(self, n):
            self.samples = range(n)

    assert [len(plan.samples) for plan in take_within([Plan(2), Plan(9), Plan(1)], 5)] == [2]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_interrupted_job_ends_at_its_limit(sources, jsonl, monkeypatch, admin, algorithm):
    project = projects.create_project(slug="whole", schema="macsum-doc")
    import_(project, jsonl(*(row(number, LONG) for number in range(8)), name="whole.jsonl"))
    draw(project, 22, algorithm=algorithm)
    monkeypatch.setattr(sample_draw, "BATCH", 1)
    options = sample_draw.default_options(sources, seed=5, algorithm=algorithm)
    job = sample_draw.start_sampling(project=sources, options=options, most_samples=22, by=admin)
    original, calls = sample_draw.store_plans, []

    def store(*args):
        if len(calls) == 2:
            raise KeyboardInterrupt
        calls.append(1)
        original(*args)

    values = {"project": sources, "options": options, "most_samples": 22, "job": job}
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(sample_draw, "store_plans", store)
        sample_draw.sample_attributes(**values)
    assert Sample.objects.filter(project=sources).count() == 10
    run_job(job.pk)
    assert drawn(sources) == drawn(project)
    row_ = Draw.objects.get(project=sources)
    assert (row_.samples_stored, row_.sources_served, row_.finished_at is not None) == (20, 4, True)
    assert sample_draw.sample_attributes(**values)["samples"] == 0


def test_hours_and_money_become_samples_at_the_projects_pace_and_pay(sources):
    sources.overlap, sources.summary_minutes, sources.pay_per_hour = 2, 15, 20.0
    assert DrawLimit(hours=10).count_samples(sources) == 20
    assert DrawLimit(money=100).count_samples(sources) == 10
    assert DrawLimit(hours=10, samples=7).count_samples(sources) == 7
    assert DrawLimit(hours=10).count_samples(sources, pace=5) == 60
    assert DrawLimit().count_samples(sources) is None


@pytest.mark.parametrize(
    ("limit", "field"),
    [
        (DrawLimit(samples=0), "most_samples"),
        (DrawLimit(hours=float("nan")), "most_hours"),
        (DrawLimit(hours=0.01), "most_hours"),
        (DrawLimit(money=10), "most_money"),
    ],
)
def test_a_limit_that_says_nothing_is_refused_at_its_field(sources, limit, field):
    with pytest.raises(BadInput) as refused:
        limit.count_samples(sources)
    assert refused.value.field == field


def test_a_limit_below_the_first_source_is_refused_with_what_it_needs(sources):
    with pytest.raises(BadInput, match="needs 5 samples, more than the limit of 4"):
        draw(sources, 4)
    assert not Draw.objects.exists()


def test_the_dry_run_counts_the_limited_draw_and_what_is_left(sources):
    projects.change_settings(project=sources, by=None, summary_minutes=30.0, pay_per_hour=12.0, pay_currency="EUR")
    options = sample_draw.default_options(sources, seed=5)
    run = sample_draw.dry_run(project=sources, options=options, most_samples=17)
    assert (run.samples, run.hours, run.pay, run.currency) == (15, 7.5, 90, "EUR")
    assert (run.left_sources, run.left_samples, dict(run.sources_by_samples)) == (5, 25, {5: 3})
    draw(sources, 17)
    assert {code: n for code, n in run.combinations.items() if n} == {
        code: Sample.objects.filter(combination=code).count()
        for code in Sample.objects.values_list("combination", flat=True)
    }


def test_the_command_limits_and_undoes(sources, capsys):
    call_command("sample_attributes", "news", seed=5, most_hours=2.5)
    assert "15 samples" in (out := capsys.readouterr().out) and "5 sources left for a later draw" in out
    call_command("sample_attributes", "news", undo=True)
    assert "15 samples" in capsys.readouterr().out
    assert not Sample.objects.exists() and Project.objects.get(slug="news").sampler == {}
    with pytest.raises(CommandError, match="no draw to undo"):
        call_command("sample_attributes", "news", undo=True)
