"""Lists: the envelope, pages, filters, orders, and what they cost."""

import json
import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Annotation, Job, Membership, Release, Role, SourceDocument
from annotation.services.core import list_pages
from annotation.services.core.pseudonyms import Pseudonyms
from annotation.services.sources import selection as source_selection
from tests.tasks.factories import make_people, make_project

pytestmark = pytest.mark.django_db
LISTS = ("documents", "samples", "annotations", "jobs", "members", "releases", "selections")


@pytest.fixture
def many(world):
    make_project("many", documents=12, groups=1, size=2)
    return world.as_("site")


def test_a_page_in_its_envelope(many):
    first = many("GET", "projects/many/documents/?page_size=5").json_body
    assert (first["count"], first["previous"], len(first["results"])) == (12, None, 5)
    assert first["next"].endswith("/api/v1/projects/many/documents/?page=2&page_size=5")
    second = many("GET", first["next"]).json_body
    third = many("GET", second["next"]).json_body
    assert (third["next"], len(third["results"])) == (None, 2)
    ids = [row["external_id"] for page in (first, second, third) for row in page["results"]]
    assert ids == [f"many-{i}" for i in range(12)]


def test_pages_deep_in_a_list_go_on_in_order(many, monkeypatch):
    shallow = [many("GET", f"projects/many/samples/?page_size=7&page={n}").json_body for n in (1, 2, 3, 4)]
    monkeypatch.setattr(list_pages, "KEYS_FIRST", 1)
    assert [many("GET", f"projects/many/samples/?page_size=7&page={n}").json_body for n in (1, 2, 3, 4)] == shallow
    assert [len(page["results"]) for page in shallow] == [7, 7, 7, 3]


def test_a_page_has_fifty_rows_and_at_most_two_hundred(world):
    make_project("long", documents=205, groups=0)
    caller = world.as_("site")
    assert len(caller("GET", "projects/long/documents/").json_body["results"]) == 50
    assert len(caller("GET", "projects/long/documents/?page_size=1000").json_body["results"]) == 200
    assert len(caller("GET", "projects/long/documents/?page=&page_size=").json_body["results"]) == 50


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("page=-1", "page"),
        ("page=0", "page"),
        ("page=1000000000", "page"),
        ("page=10000000000", "page"),
        ("page=" + "9" * 5000, "page"),
        ("page=two", "page"),
        ("page=%D9%A2", "page"),
        ("page=1.0", "page"),
        ("page=%00", "page"),
        ("page_size=0", "page_size"),
        ("page_size=-5", "page_size"),
        ("page_size=all", "page_size"),
        ("created_by__password__startswith=a", "created_by__password__startswith"),
        ("format=api", "format"),
    ],
)
def test_a_bad_page_is_refused_by_name(world, name, query, field):
    answer = world.as_("admin")("GET", f"projects/news/{name}/?{query}")
    assert answer.status_code == 400
    assert [row["field"] for row in answer.json_body["errors"]] == [field]


@pytest.mark.parametrize("order", ["user__password", "-project__export_salt", "--id", "?", "id;", "%00", "pk"])
def test_an_order_that_is_not_offered_is_refused(world, order):
    answer = world.as_("admin")("GET", f"projects/news/documents/?order={order}")
    assert (answer.status_code, answer.json_body["errors"][0]["field"]) == (400, "order")


def test_orders_and_filters(world):
    SourceDocument.objects.filter(external_id="news-1").update(n_words=9, split="test", damaged=True)
    caller = world.as_("reviewer")

    def found(query: str) -> list[str]:
        return [row["external_id"] for row in caller("GET", f"projects/news/documents/?{query}").json_body["results"]]

    assert found("order=n_words") == ["news-1", "news-0"]
    assert found("order=-n_words") == ["news-0", "news-1"]
    assert found("q=news-1") == found("split=test") == found("damaged=true") == ["news-1"]
    assert found("q=source 0") == found("damaged=0") == ["news-0"]
    assert found("q=%25") == found("q=_") == []
    assert caller("GET", "projects/news/documents/?damaged=perhaps").status_code == 400
    assert caller("GET", "projects/news/documents/?q=a%00b").status_code == 400
    assert caller("GET", "projects/news/documents/?q=" + "a" * 201).status_code == 400


def test_filters_of_samples(world):
    caller = world.as_("reviewer")
    samples = caller("GET", "projects/news/samples/?source=news-1").json_body
    assert [row["sample_id"] for row in samples["results"]] == [f"news-1#{i}" for i in range(4)]
    assert samples["results"][0]["attributes"]["topic"] == ["topic 1"]
    assert caller("GET", "projects/news/samples/?combination=none").json_body["count"] == 0
    assert caller("GET", "projects/news/samples/?state=void").json_body["count"] == 0
    assert caller("GET", "projects/news/samples/?state=lost").status_code == 400


def test_lists_find_a_part_of_a_text_in_any_case(world):
    """As the filters of the pages do; exact parameters stay exact."""
    SourceDocument.objects.filter(external_id="news-1").update(title="The Harbour Bridge")
    world.project.jobs.create(kind="import", arguments={"file_name": "Harbour.csv"}, state="done")
    caller = world.as_("admin")

    def found(path: str, field: str) -> list[str]:
        return [row[field] for row in caller("GET", f"projects/news/{path}").json_body["results"]]

    assert found("documents/?q=WS-1", "external_id") == found("documents/?q=harbour", "external_id") == ["news-1"]
    assert found("samples/?q=WS-1", "sample_id") == found("samples/?q=HARB", "sample_id")
    assert len(found("samples/?q=harb", "sample_id")) == 4
    assert found("samples/?source=ws-1", "sample_id") == []
    assert len(found("annotations/?q=news-", "id")) == len(found("annotations/?person=NNOTAT", "id")) > 0
    assert found("annotations/?q=zebra", "id") == found("annotations/?person=zebra", "id") == []
    assert found("members/?q=REVIEW", "role") == found("members/?role=reviewer", "role") == ["reviewer"]
    assert len(found("jobs/?q=harbour.CSV", "kind")) == len(found("jobs/?kind=import&state=done", "kind")) == 1
    assert found("runs/?q=zebra", "id") == found("rounds/?q=zebra", "name") == []
    for path in ("members/?role=king", "jobs/?state=odd", "runs/?state=odd", "rounds/?state=odd"):
        assert caller("GET", f"projects/news/{path}").status_code == 400


def test_annotations_without_an_attempt_or_a_sample_show_what_is_known(world):
    def copy_annotation(**values) -> dict:
        row = Annotation.objects.get(pk=world.annotation.pk)
        for name, value in {"pk": None, "public_id": uuid.uuid4(), **values}.items():
            setattr(row, name, value)
        row.save(force_insert=True)
        listed = world.as_("admin")("GET", "projects/news/annotations/?revisions=all").json_body["results"][-1]
        assert world.as_("admin")("GET", f"annotations/{row.public_id}/").json_body == listed
        return listed

    of_person = world.as_("admin")("GET", f"annotations/{world.annotation.public_id}/").json_body
    attempt = world.annotation.assignment
    assert (of_person["annotator"], of_person["username"]) == (
        Pseudonyms(world.project).of(attempt.annotator_id),
        attempt.annotator.username,
    )
    assert (of_person["assignment"], of_person["state"]) == (str(attempt.public_id), "submitted")
    source = {name: of_person[name] for name in ("source_id", "document")}
    nobody = {"assignment": None, "username": None}
    line = {"annotator": "worker-A7", "state": "accepted"}
    imported = copy_annotation(assignment=None, origin="import")
    assert imported == {**of_person, **nobody, "id": imported["id"], "origin": "import", "annotator": None} | {
        "state": "imported"
    }
    restored = copy_annotation(assignment=None, origin="restored", raw_json=json.dumps(line))
    assert restored == {**of_person, **nobody, "id": restored["id"], "origin": "restored", **line}
    chosen = copy_annotation(sample=None, revision=2, guideline_version=None, idempotency_key="second")
    assert {name: chosen[name] for name in source} == source
    assert (chosen["sample_id"], chosen["guideline_version"], chosen["revision"]) == (None, None, 2)


def test_who_sees_pseudonyms_cannot_search_names(world):
    answer = world.as_("reviewer")("GET", "projects/news/annotations/?person=annotator")
    assert (answer.status_code, answer.json_body["errors"][0]["field"]) == (400, "person")


def test_own_projects_only(world):
    def slugs(name: str) -> list[str]:
        return [row["slug"] for row in world.as_(name)("GET", "projects/").json_body["results"]]

    assert slugs("rater") == ["news"]
    assert slugs("outsider") == ["elsewhere"]
    assert slugs("idle") == []
    assert slugs("site") == ["elsewhere", "news"]


def queries(caller, path: str) -> int:
    with CaptureQueriesContext(connection) as seen:
        assert caller("GET", path).status_code == 200
    return len(seen)


def grow(world, name: str, start: int, n: int) -> None:
    """n more rows of a list."""
    project = world.project
    if name in ("documents", "samples"):
        more = make_project(f"more{start}", documents=n, groups=1, frozen=True)
        SourceDocument.objects.filter(project=more).update(project=project)
        more.samples.update(project=project)
    elif name == "annotations":
        row = world.annotation
        for i in range(start, start + n):
            row.pk, row.public_id, row.revision, row.idempotency_key = None, uuid.uuid4(), i + 2, f"k{i}"
            row.save(force_insert=True)
    elif name == "jobs":
        Job.objects.bulk_create(Job(kind="import", project=project) for _ in range(n))
    elif name == "members":
        make_people(n, project, Role.RATER, start + 1)
    elif name == "releases":
        Release.objects.bulk_create(Release(project=project, tag=f"v{i}", rows={}) for i in range(start, start + n))
    else:
        for seed in range(n):
            source_selection.select_sources(project=project, n=1, seed=seed, by=None)


@pytest.mark.parametrize("name", LISTS)
def test_a_list_costs_the_same_queries_at_any_length(world, name):
    caller = world.as_("admin")
    path = f"projects/news/{name}/?page_size=200" + ("&revisions=all" if name == "annotations" else "")
    grow(world, name, 0, 1)
    few, count_before = queries(caller, path), caller("GET", path).json_body["count"]
    grow(world, name, 1, 20)
    assert caller("GET", path).json_body["count"] >= count_before + 20
    assert queries(caller, path) == few <= 5


def test_members_are_listed_by_name(world):
    rows = world.as_("admin")("GET", "projects/news/members/").json_body["results"]
    assert [(row["username"], row["role"]) for row in rows] == sorted(
        (name, name) for name in ("admin", "annotator", "rater", "researcher", "reviewer")
    )


def test_members_come_and_go(world):
    caller = world.as_("admin")
    assert caller("POST", "projects/news/members/", {"username": "idle", "role": "rater"}).status_code == 201
    assert caller("POST", "projects/news/members/", {"username": "idle", "role": "rater"}).status_code == 201
    assert Membership.objects.filter(user=world.people["idle"]).count() == 1
    gone = caller("POST", "projects/news/members/remove/", {"username": "idle", "role": "rater"})
    assert (gone.status_code, gone.content) == (204, b"")
    last = caller("POST", "projects/news/members/remove/", {"username": "admin", "role": "admin"})
    assert (last.status_code, last.json_body["errors"][0]["field"]) == (409, "role")
    nobody = caller("POST", "projects/news/members/", {"username": "nobody", "role": "rater"})
    assert (nobody.status_code, nobody.json_body["errors"][0]["field"]) == (422, "username")
