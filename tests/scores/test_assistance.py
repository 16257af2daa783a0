"""Which meters a writer saw: by source, by seed, and told on every annotation and line."""

import hashlib
import json
import random
from collections import Counter

import pytest

from annotation.models import Annotation, Assignment, Project, SourceDocument
from annotation.services.tasks.assistance import assistance_by_external_id
from annotation.services.tasks.claim import claim_next
from annotation.services.tasks.submit import submit_task
from tests.export import factories as make
from tests.export.factories import delete_all_rows, restore_project
from tests.tasks.factories import make_people, make_project, payload

pytestmark = pytest.mark.django_db
SALT = "ab" * 32


def arms(path):
    return {(line["sample_id"], line["annotator"]): line["assistance"] for line in make.of_task(path, "summary")}


@pytest.mark.parametrize("arm", ["minimal", "full"])
def test_a_fixed_setting_holds_for_every_source(arm):
    project = Project(assistance=arm, export_salt=SALT)
    assert {assistance_by_external_id(project, f"doc-{i}") for i in range(50)} == {arm}


def test_the_coin_falls_about_evenly_and_depends_on_the_seed():
    project = Project(assistance="randomised", export_salt=SALT)
    names = [f"doc-{i}" for i in range(2000)]
    first = [assistance_by_external_id(project, name) for name in names]
    # 2,000 fair tosses: within 900 and 1,100 with all but 8 in a million.
    assert 900 < Counter(first)["full"] < 1100
    assert set(first) == {"full", "minimal"}
    other = [assistance_by_external_id(Project(assistance="randomised", export_salt="cd" * 32), name) for name in names]
    assert 800 < sum(a == b for a, b in zip(first, other, strict=True)) < 1200
    assert [assistance_by_external_id(project, name) for name in names] == first


def test_the_coin_is_a_generator_of_seed_algorithm_and_external_id():
    """Tossed here once more, so that another way of tossing needs another name."""
    project = Project(assistance="randomised", export_salt=SALT)
    for name in ("doc-0", "doc-1", "p#3", "Müller \u202e", "0"):
        digest = hashlib.sha256(json.dumps([SALT, "assistance@1", name]).encode()).digest()
        upper = random.Random(int.from_bytes(digest, "big")).random() >= 0.5
        assert assistance_by_external_id(project, name) == ("full" if upper else "minimal")


@pytest.mark.db_engine
def test_everybody_sees_the_same_on_a_source_whatever_order_it_was_stored_in(tmp_path):
    items = []
    for slug, names in (("one", range(8)), ("two", reversed(range(8)))):
        project = make.create_project(slug=slug, schema="macsum-doc", overlap=2, assistance="randomised")
        Project.objects.filter(pk=project.pk).update(export_salt=SALT)
        project.refresh_from_db()
        make.import_rows(project, tmp_path, [make.row(i) for i in names])
        for document in SourceDocument.objects.filter(project=project).order_by("pk"):
            make.add_samples(document, n=1, overlap=2)
        for start in (10 * project.pk, 10 * project.pk + 1):
            (person,) = make_people(1, project, start=start)
            while (task := claim_next(project=project, annotator=person).assignment) is not None:
                submit_task(assignment=task, payload=payload(), idempotency_key="k")
        rows = Annotation.objects.filter(project=project).values_list("sample__document__external_id", "assistance")
        assert rows.count() == 16
        by_source = dict(rows)
        assert {(name, arm) for name, arm in rows} == set(by_source.items())  # one arm per source
        attempts = Assignment.objects.filter(project=project)
        assert set(attempts.values_list("sample__document__external_id", "assistance")) == set(by_source.items())
        items.append(by_source)
    assert items[0] == items[1]
    assert set(items[0].values()) == {"full", "minimal"}


def test_every_line_says_which_arm_was_on_and_keeps_it(tmp_path, django_user_model):
    project = make.news(tmp_path, n=6, assistance="randomised")
    Project.objects.filter(pk=project.pk).update(export_salt=SALT)
    project.refresh_from_db()
    ann = make.make_person(project, "annotator1", django_user_model)
    for number in range(12):
        make.skip_one(project, ann) if number % 5 == 4 else make.write_one(project, ann, f"Summary {number}.")
    path = make.export(project, tmp_path)
    lines = make.of_task(path, "summary")
    assert len(lines) == 12
    for line in lines:
        assert line["assistance"] == assistance_by_external_id(project, line["source_id"])
    assert len({line["assistance"] for line in lines}) == 2
    state_before = arms(path)
    Project.objects.filter(pk=project.pk).update(assistance="full", export_salt="cd" * 32)
    by_key = {line["sample_id"]: line["assistance"] for line in make.of_task(make.export(project, tmp_path), "summary")}
    assert by_key == {sample: arm for (sample, _who), arm in state_before.items()}
    path = make.export(project, tmp_path, "kept.jsonl")
    first = path.read_bytes()
    delete_all_rows()
    again = restore_project(tmp_path, path)
    assert make.export(again, tmp_path, "again.jsonl").read_bytes() == first


def test_a_claim_costs_one_query_more_only_where_a_coin_is_tossed(django_user_model):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    spent = {}
    for arm in ("minimal", "full", "randomised"):
        project = make_project(arm, documents=1, frozen=True, assistance=arm)
        (person,) = make_people(1, project, start=project.pk)
        with CaptureQueriesContext(connection) as seen:
            claim_next(project=project, annotator=person)
        spent[arm] = len(seen)
    assert spent["minimal"] == spent["full"] == spent["randomised"] - 1


def test_bands_come_from_the_schema_and_never_from_what_was_written(tmp_path, django_user_model):
    project = make.news(tmp_path, n=4)
    ann = make.make_person(project, "annotator1", django_user_model)
    declared = {
        value: project.schema_version.schema.attribute("length").band(value).as_dict()
        for value in ("short", "normal", "long")
    }
    seen = []
    for length in (1, 400, 1, 400, 1, 400):
        result = make.write_one(project, ann, "word " * length)
        band = result.band_shown["length"]
        assert {key: band[key] for key in ("of", "low", "high")} == declared[band["value"]]
        words = SourceDocument.objects.get(pk=result.sample.document_id).n_words
        assert band["words"] == words
        seen.append((band["value"], words, band["from"], band["to"]))
    assert len(set(seen)) == len({row[:2] for row in seen})  # the same request on a source as long: the same band
