"""From annotations to golds and ranking lists."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Annotation, AuditEvent, RankingList, SourceDocument
from annotation.services.core.errors import BadInput, Conflict
from evaluation.services.aggregations import ranking_lists
from evaluation.services.aggregations.funnel_report import build_report, describe_aggregations, report_as_dict
from evaluation.services.aggregations.ranking_lists import make_ranking_lists, split_by_instance
from modelbridge.services.runs.list_lines import iterate_lines
from tests.export.factories import news
from tests.rankings.factories import freeze, make_aggregation_project, make_ranked_project

pytestmark = pytest.mark.django_db


def run_command(*arguments, **options):
    out = StringIO()
    call_command(*arguments, stdout=out, **options)
    return out.getvalue()


@pytest.fixture
def project():
    return make_aggregation_project()


def test_the_funnel_of_a_project_counts_its_annotations_by_command_and_in_the_manifest(project):
    last = Annotation.objects.order_by("-pk")
    last[0].__class__.objects.filter(pk=last[0].pk).update(payload={"answers": ["banks"], "cannot": True})
    Annotation.objects.filter(pk=last[1].pk).update(payload={"answers": ["banks and lenders"], "cannot": False})
    values = json.loads(run_command("aggregation_report", project.slug, "--json"))
    assert (values["instances"], values["annotations"], values["people"]) == (24, 72, 3)
    assert values["not_aggregatable"] == 1
    assert values["removed"] == {"non_conforming": 1, "rare_people": 0, "few_answers": 1}
    assert (values["kept_instances"], values["kept_annotations"], values["kept_people"]) == (23, 69, 3)
    assert values["contents"]["all"]["instances"] == 23
    assert values["contents"]["person"]["entity_sets"] == 6
    assert values["agreement"]["same_answer"]["value"] == 1
    assert describe_aggregations(project)["aggregations"] == values
    text = run_command("aggregation_report", project.slug)
    assert "Annotations kept" in text and "as printed: All types" in text


def test_a_project_of_summaries_has_no_funnel(tmp_path):
    other = news(tmp_path, n=1)
    with pytest.raises(CommandError, match="no aggregations"):
        call_command("aggregation_report", other.slug)
    assert describe_aggregations(other) == {}


def test_numbers_of_an_empty_project_say_why_they_are_missing():
    project = make_aggregation_project(0)
    values = report_as_dict(build_report(project))
    assert values["annotations"] == 0
    assert values["agreement"]["alpha"] == {"value": None, "undefined": "nothing is annotated yet"}
    assert values["contents"]["all"]["golds_per_instance"] is None


def test_a_release_keeps_its_funnel_when_annotations_come_later(project):
    release = freeze(project)
    data_before = build_report(project, release).funnel.as_dict()
    Annotation.objects.filter(pk=Annotation.objects.order_by("pk")[0].pk).update(surplus=True)
    assert build_report(project).funnel.annotations == data_before["annotations"] - 1


def test_lists_hold_the_golds_and_answers_of_the_same_type_and_split(project):
    freeze(project)
    assert make_ranking_lists(project=project, tag="v1", seed=5, by=None) == 24
    lists = list(RankingList.objects.select_related("sample__instance", "sample__document"))
    golds_by_place = {}
    for row in lists:
        golds = {text for text, gold in zip(row.candidates, row.golds, strict=True) if gold}
        golds_by_place.setdefault((row.split, row.sample.instance.entity_type), set()).update(golds)
    for row in lists:
        assert set(row.candidates) <= golds_by_place[row.split, row.sample.instance.entity_type]
        assert len(row.candidates) == len(set(row.candidates)) <= 24
        assert sum(row.golds) == 3
    articles = {}
    for row in lists:
        articles.setdefault(row.sample.document_id, set()).add(row.split)
    assert all(len(splits) == 1 for splits in articles.values())
    assert {row.split for row in lists} == {"train", "dev", "test"}
    assert AuditEvent.objects.filter(verb="release.make_lists").count() == 1


def test_lists_are_made_once_and_the_same_seed_gives_the_same(project):
    freeze(project)
    make_ranking_lists(project=project, tag="v1", seed=5, by=None)
    with pytest.raises(Conflict, match="made once"):
        make_ranking_lists(project=project, tag="v1", seed=6, by=None)
    freeze(project, "v2")
    make_ranking_lists(project=project, tag="v2", seed=5, by=None)
    first, second = (
        list(
            RankingList.objects.filter(release__tag=tag).order_by("sample").values_list("candidates", "golds", "split")
        )
        for tag in ("v1", "v2")
    )
    assert first == second


def test_unseen_is_an_instance_none_of_whose_entities_is_in_train(project):
    freeze(project)
    make_ranking_lists(project=project, tag="v1", by=None)
    rows = list(RankingList.objects.select_related("sample__instance"))
    in_train = {entity["name"] for row in rows if row.split == "train" for entity in row.sample.instance.entities}
    for row in rows:
        names = {entity["name"] for entity in row.sample.instance.entities}
        assert row.unseen == (row.split != "train" and not names & in_train)
    assert {row.unseen for row in rows if row.split != "train"} == {True, False}


def test_a_release_without_splits_needs_drawn_ones(project):
    freeze(project, drawn=False)
    with pytest.raises(BadInput, match="in no split: 24"):
        make_ranking_lists(project=project, tag="v1", by=None)
    make_ranking_lists(project=project, tag="v1", split_by="instance", by=None)
    counts = {row["split"]: row["lists"] for row in ranking_lists.count_lists(project, "v1")}
    assert counts == {"train": 12, "dev": 6, "test": 6}


def test_drawn_by_article_all_instances_of_an_article_are_in_one_split(project):
    freeze(project, drawn=False)
    make_ranking_lists(project=project, tag="v1", split_by="origin", by=None)
    splits = {}
    for document, split in RankingList.objects.values_list("sample__document", "split"):
        splits.setdefault(document, set()).add(split)
    assert all(len(names) == 1 for names in splits.values())
    assert {name for names in splits.values() for name in names} == {"train", "dev", "test"}


def test_the_papers_instances_are_split_2_1_1():
    splits = list(split_by_instance([str(number) for number in range(1718)], 7).values())
    assert [splits.count(name) for name in ("train", "dev", "test")] == [858, 430, 430]


def test_more_golds_than_places_are_refused_with_the_instance(project):
    annotation = Annotation.objects.select_related("sample__instance").order_by("pk")[0]
    answers = [f"phrase number {number}" for number in range(25)]
    Annotation.objects.filter(pk=annotation.pk).update(payload={"answers": answers, "cannot": False})
    freeze(project)
    with pytest.raises(BadInput, match=rf"list of 24: the instance {annotation.sample.instance.key} has 2\d"):
        make_ranking_lists(project=project, tag="v1", by=None)
    assert not RankingList.objects.exists()


def test_the_command_makes_the_lists_and_writes_them(project, tmp_path):
    freeze(project)
    file = tmp_path / "lists.jsonl"
    values = json.loads(run_command("make_ranking_lists", project.slug, "v1", "--output", str(file), "--json"))
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert sum(row["lists"] for row in values["splits"]) == len(lines) == 24
    line = next(line for line in lines if line["context_kind"] == "content")
    assert line["format"] == "epitome-ranking-1" and line["context"].count(".") == 2
    assert [len(line["candidates"]), sum(line["golds"])] == [len(line["golds"]), 3]
    assert line["entities"][0]["background"].startswith(line["entities"][0]["name"])
    again = tmp_path / "again.jsonl"
    run_command("make_ranking_lists", project.slug, "v1", "--output", str(again))
    assert again.read_text() == file.read_text()


def test_a_release_without_golds_or_an_unknown_one_is_refused():
    project = make_aggregation_project(1)
    SourceDocument.objects.filter(project=project).update(split="train")
    Annotation.objects.update(payload={"answers": [], "cannot": True})
    freeze(project, drawn=False)
    for tag, words in (("v1", "has golds"), ("v9", "no release v9")):
        with pytest.raises(CommandError, match=words):
            call_command("make_ranking_lists", project.slug, tag)


def test_reading_many_lists_takes_as_many_queries_as_reading_few(django_assert_num_queries):
    few, many = make_ranked_project(4, slug="few"), make_ranked_project(12, slug="many")
    for project in (few, many):
        with django_assert_num_queries(3):
            assert len(list(iterate_lines(project, "v1"))) > 0
