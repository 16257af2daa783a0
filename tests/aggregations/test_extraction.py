"""Instances become tasks once, whatever is killed, repeated or run beside; figures, pages and command."""

import json

import pytest
from django.core.management import CommandError, call_command

from annotation.jobs import NoProgress
from annotation.models import AggregationInstance, AuditEvent, Draw, EntityBackground, Group, Job, Sample, Slot
from annotation.services.aggregations import extraction
from annotation.services.aggregations.extraction import ExtractionOptions, extract_tuples, preview_extraction
from annotation.services.core.errors import BadInput
from annotation.services.sampling import draw, draw_undo
from tests.aggregations.factories import (
    N_INSTANCES,
    article_rows,
    given_backgrounds,
    make_articles,
    make_instances,
    write_backgrounds,
)
from tests.tasks.factories import make_project

pytestmark = pytest.mark.django_db


def list_keys():
    return sorted(AggregationInstance.objects.values_list("key", flat=True))


def test_the_articles_give_their_instances_with_samples_groups_and_three_slots_each(tmp_path):
    project = make_instances(tmp_path)
    rows = AggregationInstance.objects.order_by("sample__document", "sample__position")
    contexts = [
        (tuple(e["name"] for e in row.entities), row.entity_type, row.context_kind, row.first_segment, row.last_segment)
        for row in rows
    ]
    assert sorted(contexts[:4], key=str) == sorted(
        [
            (("Dunmere", "Port Issel"), "location", "abstract", None, None),
            (("Dunmere", "Port Issel"), "location", "content", 1, 2),
            (("Mara Lindqvist", "Oren Tallis"), "person", "content", 0, 1),
            (("Mara Lindqvist", "Oren Tallis"), "person", "content", 2, 3),
        ],
        key=str,
    )
    assert contexts[4:] == [(("Corvin Shipping", "Teal Line"), "org", "content", 0, 1)]
    assert [row.sample.position for row in rows] == [0, 1, 2, 3, 0]
    assert Group.objects.count() == 3  # one for each tuple of an article
    assert Slot.objects.count() == 3 * N_INSTANCES
    sample = Sample.objects.order_by("pk")[0]
    assert (sample.seed, sample.sampler, sample.combination) == (2345, "tuples-metadata@1", "location-2")
    assert AuditEvent.objects.filter(verb="sample.extract").count() == 1
    assert project.schema_version.schema.shares == (50, 25, 25)


def test_an_instance_holds_backgrounds_and_the_mentions_of_its_context(tmp_path):
    make_instances(tmp_path)
    instance = AggregationInstance.objects.get(entity_type="person", first_segment=2)
    first = instance.entities[0]
    assert first["name"] == "Mara Lindqvist"
    assert first["background"] == "Mara Lindqvist is a Sellish politician."
    assert first["url"].endswith("/Mara_Lindqvist")
    assert first["mentions"] == [[3, 0, 9]]
    missing = EntityBackground.objects.get(state="missing")
    assert missing.name == "Corvin Shipping"
    assert [row.entity_type for row in missing.instances.all()] == ["org"]


def test_a_second_run_adds_nothing_and_a_larger_one_what_is_missing(tmp_path):
    project = make_instances(tmp_path, n=2)
    keys = list_keys()
    again = extract_tuples(project=project, options=ExtractionOptions(n=2))
    assert (again["instances"], again["before"], list_keys()) == (0, 2, keys)
    more = extract_tuples(project=project, options=ExtractionOptions(n=4))
    assert more["instances"] == 2
    assert set(keys) < set(list_keys())
    other = extract_tuples(project=project, options=ExtractionOptions(n=100))
    assert (other["instances"], len(list_keys())) == (1, N_INSTANCES)


def test_a_killed_job_goes_on_with_the_same_instances(tmp_path, monkeypatch):
    project = make_articles(tmp_path)
    monkeypatch.setattr(extraction, "BATCH", 1)
    options = ExtractionOptions(n=N_INSTANCES - 1, seed=9)

    class Killed(NoProgress):
        checks = 0

        def check(self):
            self.checks += 1
            if self.checks == 5:  # three articles are read, the first is stored
                raise KeyboardInterrupt

    job = extraction.start_extraction(project=project, options=options)
    with pytest.raises(KeyboardInterrupt):
        extraction.run_extraction(job, Killed())
    assert 0 < len(list_keys()) < N_INSTANCES - 1
    assert extraction.run_extraction(job, NoProgress())["before"] > 0
    stored = list_keys()
    assert Draw.objects.get().finished_at is not None
    assert Draw.objects.get().samples_stored == len(stored) == N_INSTANCES - 1
    other = make_instances(tmp_path, slug="other", n=N_INSTANCES - 1, seed=9)
    assert sorted(other.instances.values_list("key", flat=True)) == stored[: len(stored)]


def test_of_two_runs_at_once_the_second_stores_only_what_the_first_did_not(tmp_path, monkeypatch):
    project = make_articles(tmp_path)
    real = extraction._plan_extraction

    def planned_before_the_other_stored(*args, **kwargs):
        plan = real(*args, **kwargs)
        monkeypatch.setattr(extraction, "_plan_extraction", real)
        extract_tuples(project=project, options=ExtractionOptions(n=3))
        return plan

    monkeypatch.setattr(extraction, "_plan_extraction", planned_before_the_other_stored)
    late = extract_tuples(project=project, options=ExtractionOptions(n=3))
    assert (late["instances"], len(list_keys())) == (0, 3)


def test_queries_do_not_grow_with_the_instances(tmp_path, django_assert_max_num_queries):
    project = make_articles(tmp_path)
    with django_assert_max_num_queries(40):
        extract_tuples(project=project, options=ExtractionOptions(), given=given_backgrounds())


def test_a_dry_run_stores_nothing_and_says_what_there_is(tmp_path):
    project = make_articles(tmp_path)
    figures = preview_extraction(project=project, options=ExtractionOptions(n=3), given=given_backgrounds())
    assert Sample.objects.count() == Draw.objects.count() == EntityBackground.objects.count() == 0
    assert figures["articles"] == figures["all_articles"] == 3
    assert figures["articles_without_entities"] == 1
    assert figures["entities"] == {"location": 2, "org": 2, "person": 3}
    assert figures["tuples"] == {"2": 3}
    assert figures["instances"] == {"content": {"location": 1, "org": 1, "person": 2}, "abstract": {"location": 1}}
    assert (figures["mean_tuple_size"], figures["drawn"]) == (2.0, 3)
    assert (figures["names"], figures["names_without_background"]) == (6, 1)


def test_a_draw_of_instances_is_undone_with_them(tmp_path):
    project = make_instances(tmp_path)
    undone = draw_undo.undo_draw(draw=Draw.objects.get(), by=None)
    assert undone == (N_INSTANCES, 3, 3 * N_INSTANCES)
    assert list_keys() == []
    assert extract_tuples(project=project, options=ExtractionOptions())["instances"] == N_INSTANCES


def test_only_projects_of_the_kind_have_instances_and_they_draw_no_samples(tmp_path):
    summaries = make_project(documents=1)
    with pytest.raises(BadInput, match="aggregation"):
        extract_tuples(project=summaries, options=ExtractionOptions())
    project = make_articles(tmp_path)
    with pytest.raises(BadInput, match="extracted"):
        draw.sample_attributes(project=project)
    with pytest.raises(BadInput, match="extracted"):
        draw.start_sampling(project=project, options=draw.default_options(project))
    assert Job.objects.filter(kind="sample").count() == 0


@pytest.mark.parametrize(
    ("values", "field"), [({"source": "web"}, "source"), ({"n": -1}, "n"), ({"seed": True}, "seed")]
)
def test_wrong_options_are_refused_by_name(values, field):
    with pytest.raises(BadInput) as refused:
        ExtractionOptions(**values)
    assert refused.value.field == field


def test_the_command_makes_extracts_and_reports(tmp_path, capsys):
    call_command("create_project", "tesa", "--kind", "aggregation", "--schema", "tesa", "--overlap", "2")
    articles = tmp_path / "articles.jsonl"
    articles.write_text("".join(json.dumps(row) + "\n" for row in article_rows()), encoding="utf-8")
    call_command("import_sources", "tesa", str(articles))
    file = write_backgrounds(tmp_path / "backgrounds.jsonl")
    capsys.readouterr()
    call_command("extract_tuples", "tesa", "--backgrounds", str(file), "--dry-run")
    out = capsys.readouterr().out
    assert "instances in abstracts: location 1" in out
    assert "mean tuple size: 2" in out
    assert "much of the draw: " in out  # three articles
    call_command("extract_tuples", "tesa", "--backgrounds", str(file), "--json")
    counts = json.loads(capsys.readouterr().out)
    assert counts == {
        "articles": 3,
        "instances": N_INSTANCES,
        "groups": 3,
        "slots": 2 * N_INSTANCES,
        "before": 0,
        "without_background": 1,
        "backgrounds_filled": 0,
    }
    call_command("extract_tuples", "tesa")
    assert (
        f"0 instances in 0 tuples of 3 articles, 0 places to fill; {N_INSTANCES} instances" in capsys.readouterr().out
    )


def test_the_command_names_what_is_wrong(tmp_path):
    make_articles(tmp_path)
    broken = tmp_path / "b.jsonl"
    broken.write_text('{"name": "A"}\n', encoding="utf-8")
    for arguments, message in (
        (["--backgrounds", str(broken)], "b.jsonl: line 1: extract: is missing"),
        (["--backgrounds", str(tmp_path / "none")], "none: cannot be read"),
        (["--n", "-3"], "n: This must be a whole number"),
    ):
        with pytest.raises(CommandError, match=message):
            call_command("extract_tuples", "tesa", *arguments)


def test_wrong_entities_name_the_article(tmp_path):
    project = make_articles(tmp_path)
    project.documents.filter(external_id="fares").update(metadata_json='{"entities": [{"name": "A"}]}')
    with pytest.raises(BadInput, match=r"fares: entities\[0\].type"):
        extract_tuples(project=project, options=ExtractionOptions())


def test_names_found_by_the_pipeline_give_instances(tmp_path):
    project = make_articles(tmp_path)
    counts = extract_tuples(project=project, options=ExtractionOptions(source="ner"))
    assert counts["articles"] == 3
    assert {row.sample.sampler for row in AggregationInstance.objects.all()} <= {"tuples-ner-by-article@1"}
