"""A draw gives groups, samples and slots in the order of the sources; the same seed gives the same again, anywhere."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from annotation.jobs import run_job
from annotation.models import Group, JobState, Project, Sample, Slot, SourceDocument
from annotation.services.core.errors import BadInput
from annotation.services.people import projects
from annotation.services.sampling import draw as sample_draw
from annotation.services.sources import damaged
from annotation.services.sources import selection as source_selection
from epitome.schema import preset_text
from tests.sources.conftest import import_, row

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parent.parent.parent
LONG = "The council met on the bridge and spoke. " * 67  # 536 words: 5 samples


@pytest.fixture
def sources(news, jsonl):
    import_(news, jsonl(*(row(number, LONG) for number in range(6)), row(6)))
    return news


def draw(project, seed=1, **options):
    add = options.pop("add", False)
    chosen = sample_draw.default_options(project, seed=seed, **options)
    return sample_draw.sample_attributes(project=project, options=chosen, add=add)


def drawn(project):
    rows = Sample.objects.filter(project=project).order_by("document__external_id", "position")
    return [
        (sample.document.external_id, sample.position, sample.group.position, sample.combination, sample.sampler)
        for sample in rows.select_related("document", "group")
    ]


@pytest.mark.db_engine
def test_groups_samples_and_slots(sources):
    sources.overlap = 2
    counts = draw(sources)
    assert counts == {"sources": 7, "groups": 14, "samples": 35, "slots": 70, "passed_over": 0}
    document = SourceDocument.objects.get(external_id="doc-0")
    groups = list(Group.objects.filter(document=document).order_by("position"))
    assert [(group.asks, group.chosen, group.frozen_at is not None) for group in groups] == [
        ([], {"topic": []}, True),
        (["topic"], {}, False),
    ]
    samples = list(Sample.objects.filter(document=document).order_by("position"))
    assert [(sample.position, sample.group_id) for sample in samples] == [
        (0, groups[0].pk),
        (1, groups[0].pk),
        (2, groups[0].pk),
        (3, groups[1].pk),
        (4, groups[1].pk),
    ]
    assert all((sample.seed, sample.sampler) == (1, "uniform@1") for sample in samples)
    schema = sources.schema_version.schema
    assert all(sample.combination == schema.combination(sample.values) for sample in samples)
    slots = list(Slot.objects.filter(document=document).order_by("pk").values_list("sample_id", "number", "state"))
    assert slots == [(sample.pk, number, "open") for sample in samples for number in (1, 2)]
    sources.refresh_from_db()
    assert (sources.sampler["sampler"], sources.sampler["seed"], sources.sampler["overlap"]) == ("uniform@1", 1, 2)


@pytest.mark.db_engine
def test_where_topics_are_a_task_of_their_own_summaries_wait_for_one_choosing_slot(sources):
    sources.phases = Project.Phases.TWO
    draw(sources)
    document = SourceDocument.objects.get(external_id="doc-0")
    slots = Slot.objects.filter(document=document).order_by("pk")
    assert [(slot.sample_id is None, slot.group.position, slot.state) for slot in slots] == [
        (False, 0, "open"),
        (False, 0, "open"),
        (False, 0, "open"),
        (True, 1, "open"),
        (False, 1, "waiting"),
        (False, 1, "waiting"),
    ]


def test_a_second_draw_passes_over_and_add_draws_on_at_new_positions(sources):
    draw(sources)
    assert draw(sources, seed=2) == {"sources": 0, "groups": 0, "samples": 0, "slots": 0, "passed_over": 7}
    assert draw(sources, seed=1, add=True)["samples"] == 0
    assert draw(sources, seed=2, add=True)["samples"] == 35
    document = SourceDocument.objects.get(external_id="doc-0")
    positions = (
        Sample.objects.filter(document=document).order_by("pk").values_list("position", "group__position", "seed")
    )
    assert list(positions) == [
        (0, 0, 1),
        (1, 0, 1),
        (2, 0, 1),
        (3, 1, 1),
        (4, 1, 1),
        (5, 2, 2),
        (6, 2, 2),
        (7, 2, 2),
        (8, 3, 2),
        (9, 3, 2),
    ]


@pytest.mark.db_engine
@pytest.mark.parametrize("algorithm", ["uniform", "one-step", "macsum-release", "weighted", "balanced"])
def test_the_same_seed_draws_the_same_over_a_shuffled_table(sources, tmp_path, jsonl, algorithm):
    draw(sources, seed=5, algorithm=algorithm)
    other = projects.create_project(slug="other", schema="macsum-doc")
    import_(other, jsonl(row(6), *(row(number, LONG) for number in (3, 5, 1, 0, 4, 2)), name="turned.jsonl"))
    draw(other, seed=5, algorithm=algorithm)
    assert drawn(other) == drawn(sources)
    third = projects.create_project(slug="third", schema="macsum-doc")
    import_(third, jsonl(row(6), *(row(number, LONG) for number in range(6)), name="again.jsonl"))
    draw(third, seed=6, algorithm=algorithm)
    assert drawn(third) != drawn(sources)


DRAW = """
import os
os.environ["DJANGO_SETTINGS_MODULE"] = "epitome.site.settings"
import django
django.setup()
from epitome.sampling import SamplerOptions, plan_project
from epitome.schema import load_preset
found = plan_project([(f"doc-{n}", 536) for n in range(6)], load_preset("macsum-doc"), SamplerOptions(seed=1))
print([[sample.combination for sample in plan.samples] for plan in found])
"""


def test_the_same_seed_draws_the_same_in_another_process_with_another_hash_seed(sources, tmp_path):
    draw(sources)
    env = {**os.environ, "PYTHONHASHSEED": "77", "EPITOME_DATA_DIR": str(tmp_path)}
    out = subprocess.run([sys.executable, "-c", DRAW], cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    combinations = [item[3] for item in drawn(sources) if item[0] != "doc-6"]
    assert json.loads(out.stdout.replace("'", '"')) == [combinations[at : at + 5] for at in range(0, 30, 5)]


@pytest.mark.parametrize("algorithm", ["uniform", "balanced"])
def test_a_draw_that_was_cut_short_goes_on_with_the_same_draw(sources, jsonl, monkeypatch, algorithm):
    project = projects.create_project(slug="whole", schema="macsum-doc")
    import_(project, jsonl(*(row(number, LONG) for number in range(6)), row(6), name="whole.jsonl"))
    draw(project, seed=5, algorithm=algorithm)
    monkeypatch.setattr(sample_draw, "BATCH", 2)
    original, items = sample_draw.store_plans, []

    def store(*args):
        if len(items) == 2:
            raise RuntimeError("killed")
        items.append(1)
        original(*args)

    with monkeypatch.context() as patch:
        patch.setattr(sample_draw, "store_plans", store)
        with pytest.raises(RuntimeError, match="killed"):
            draw(sources, seed=5, algorithm=algorithm)
    assert Sample.objects.filter(project=sources).values("document").distinct().count() == 4
    assert draw(sources, seed=5, algorithm=algorithm)["sources"] == 3
    assert drawn(sources) == drawn(project)


def test_default_options_are_those_of_the_schema(news):
    options = sample_draw.default_options(news, seed=3)
    assert (options.algorithm, options.group_size, options.no_topic_group, options.per_2000_words) == (
        "uniform",
        2,
        True,
        15.0,
    )


def test_only_usable_sources_are_drawn_for(sources):
    damaged.flag_damaged(document=SourceDocument.objects.get(external_id="doc-0"), reason="Broken.", by=None)
    chosen = source_selection.select_sources(project=sources, n=3, seed=1, by=None).chosen
    assert "doc-0" not in chosen
    draw(sources)
    assert sorted({item[0] for item in drawn(sources)}) == chosen


def test_a_dry_run_stores_nothing_and_agrees_with_the_draw(sources):
    sources.overlap = 3
    run = sample_draw.dry_run(project=sources, options=sample_draw.default_options(sources, seed=1), pace=12)
    assert not Sample.objects.exists()
    assert (run.samples, run.summaries, run.hours) == (35, 105, 105 * 12 / 60)
    draw(sources)
    assert {code: n for code, n in run.combinations.items() if n} == {
        code: Sample.objects.filter(combination=code).count()
        for code in Sample.objects.values_list("combination", flat=True)
    }


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"algorithm": "dice"}, "algorithm"),
        ({"seed": -1}, "seed"),
        ({"group_size": 0}, "group_size"),
        ({"per_2000_words": 0}, "per_2000_words"),
        ({"colour": 1}, "colour"),
    ],
)
def test_wrong_options_are_refused_by_name(sources, options, field):
    with pytest.raises(BadInput) as refused:
        draw(sources, **options)
    assert refused.value.field == field


def test_the_job_draws_with_the_options_it_was_given(sources, admin):
    from epitome.schema import load_weights

    schema = sources.schema_version.schema
    options = sample_draw.default_options(
        sources, seed=9, algorithm="macsum-release", weights=load_weights("macsum-doc", schema)
    )
    job = sample_draw.start_sampling(project=sources, options=options, by=admin)
    run_job(job.pk)
    job.refresh_from_db()
    assert (job.state, job.result["samples"]) == (JobState.DONE, 35)
    assert set(Sample.objects.values_list("sampler", "seed")) == {("macsum-release@1", 9)}
    plans = sample_draw.pure.plan_project([("doc-0", 536)], schema, options)
    assert [item[3] for item in drawn(sources) if item[0] == "doc-0"] == [s.combination for s in plans[0].samples]


FORMALITY = """
[[attribute]]
key = "formality"
label = "Formality"
code = "For"
kind = "ordinal"
values = ["plain", "formal"]
filled_by = "sampler"
guide = "How formal the words are."
question = "Is the summary as formal as asked?"
prompt = "Formality : {value}"
"""


def test_a_sixth_attribute_by_toml_alone_is_sampled(jsonl, tmp_path):
    from django.core.management import call_command

    file = tmp_path / "six.toml"
    file.write_text(preset_text("macsum-doc") + FORMALITY, encoding="utf-8")
    call_command("create_project", "six", schema_file=str(file))
    project = Project.objects.get(slug="six")
    import_(project, jsonl(*(row(number, LONG) for number in range(10))))
    draw(project)
    values = [sample.values for sample in Sample.objects.all()]
    assert {value["formality"] for value in values} == {"plain", "formal"}
    assert all(set(value) == {"length", "extractiveness", "specificity", "formality"} for value in values)
    assert all(len(code) == 4 for code in Sample.objects.values_list("combination", flat=True))


def test_the_command_prints_tables_or_json(sources, capsys):
    from django.core.management import CommandError, call_command

    call_command("sample_attributes", "news", seed=1, dry_run=True)
    text = capsys.readouterr().out
    assert "chi-square" in text
    assert "warning: extractiveness has " in text and "pairs for control correlation, fewer than 30" in text
    assert "hours at 10 minutes" in text
    call_command("sample_attributes", "news", seed=1, dry_run=True, json=True, pace=5.0)
    data = json.loads(capsys.readouterr().out)
    assert data["minutes_per_summary"] == 5
    assert {warning["attribute"] for warning in data["warnings"]} > {"extractiveness", "specificity"}
    assert not Sample.objects.exists()
    call_command("sample_attributes", "news", seed=1, json=True)
    assert json.loads(capsys.readouterr().out)["samples"] == 35
    with pytest.raises(CommandError, match="seed"):
        call_command("sample_attributes", "news", seed=-1)
