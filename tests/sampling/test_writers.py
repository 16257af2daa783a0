"""More annotators for a share of the samples: which ones the seed chooses, and what that costs."""

import pytest

from annotation.models import Slot
from annotation.services.core.errors import BadInput
from annotation.services.sampling import draw
from annotation.services.sampling.draw import DrawLimit
from epitome.sampling import SamplerError, SamplerOptions, count_writers, dry_run, mean_writers, plan_project
from epitome.schema import load_preset
from tests.tasks.factories import make_project

SCHEMA = load_preset("macsum-doc")
SOURCES = [(f"doc-{number}", 500) for number in range(400)]


def options_of(**changes):
    return SamplerOptions(**{"seed": 7, "overlap": 1, "more_writers": 3, "more_share": 10.0, **changes})


def chosen_of(options, sources=SOURCES):
    return {
        (plan.external_id, sample.position)
        for plan in plan_project(sources, SCHEMA, options)
        for sample in plan.samples
        if count_writers(options, plan.external_id, sample.position) == 3
    }


def test_the_seed_chooses_about_the_share_and_always_the_same():
    chosen = chosen_of(options_of())
    total = sum(len(plan.samples) for plan in plan_project(SOURCES, SCHEMA, options_of()))
    assert 0.07 < len(chosen) / total < 0.13
    assert chosen == chosen_of(options_of())
    assert chosen != chosen_of(options_of(seed=8))


def test_the_choice_does_not_depend_on_the_other_sources():
    results = {key for key in chosen_of(options_of()) if int(key[0][4:]) < 100}
    assert results == chosen_of(options_of(), SOURCES[:100])


def test_by_source_all_samples_of_a_source_are_alike():
    options = options_of(more_by="source", more_share=50.0)
    for plan in plan_project([(name, 4000) for name, _words in SOURCES[:40]], SCHEMA, options):
        assert len(plan.samples) > 1
        assert len({count_writers(options, plan.external_id, sample.position) for sample in plan.samples}) == 1


def test_the_dry_run_counts_every_annotator():
    options = options_of()
    plans = plan_project(SOURCES, SCHEMA, options)
    run = dry_run(plans, SCHEMA, 10, options, pay_per_hour=12)
    n_more = len(chosen_of(options))
    assert run.samples_by_writers == {1: run.samples - n_more, 3: n_more}
    assert run.summaries == run.samples + 2 * n_more
    assert run.pay == pytest.approx(12 * run.summaries * 10 / 60)
    assert f"{n_more:,} samples with 3" in run.as_text()


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"more_share": 0.0}, "more_share"),
        ({"more_writers": None}, "more_writers"),
        ({"more_share": 101.0}, "more_share"),
        ({"more_by": "group"}, "more_by"),
    ],
)
def test_half_an_option_is_refused_by_name(changes, field):
    with pytest.raises(SamplerError, match=f"^{field}:"):
        options_of(**changes)


@pytest.mark.django_db
def test_a_draw_stores_a_slot_per_annotator_and_its_record_says_how():
    project = make_project("news", documents=30, groups=0, size=1)
    options = draw.default_options(project, seed=4, more_writers=3, more_share=40.0)
    run = draw.dry_run(project=project, options=options)
    counts = draw.sample_attributes(project=project, options=options)
    assert counts["slots"] == run.summaries > run.samples
    stored = Slot.objects.filter(project=project, number=3).count()
    assert stored == run.samples_by_writers[3]
    assert project.sampler["more_writers"] == 3


@pytest.mark.django_db
def test_a_limit_in_hours_counts_the_annotators_of_the_share():
    project = make_project("news", documents=1, groups=0, size=1)
    options = draw.default_options(project, more_writers=3, more_share=50.0)
    assert mean_writers(options) == 2
    assert DrawLimit(hours=10).count_samples(project, 10, options) == 30


@pytest.mark.django_db
def test_fewer_annotators_than_everybody_has_are_refused():
    project = make_project("news", documents=1, groups=0, size=1, overlap=3)
    with pytest.raises(BadInput, match="3 annotators already"):
        draw.default_options(project, more_writers=2, more_share=50.0)
