"""Lists: a constant number of queries, only the filters and sorts we name, words for what cannot be."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.jobs import create_job
from annotation.models import AuditEvent, Job, Membership, Project, Role
from annotation.services.people.projects import create_project
from evaluation.models import Round
from tests.pages.conftest import person
from tests.tasks.factories import make_people, make_project


def queries(client, address: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as capture_queries_context:
        answer = client.get(address)
    assert answer.status_code == 200, address
    return len(capture_queries_context)


@pytest.fixture
def sizes(db):
    """An admin of a project with 3 sources and of one with 70, each with jobs, events and members in proportion."""
    admin = person("admin")
    for slug, n in (("small", 3), ("large", 70)):
        project = make_project(slug, documents=n, groups=1, size=2, topics=2)
        Membership.objects.create(project=project, user=admin, role=Role.ADMIN)
        members = [person(f"{slug}-{i}") for i in range(n // 3)]
        Membership.objects.bulk_create(Membership(project=project, user=u, role="annotator") for u in members)
        Job.objects.bulk_create(
            Job(project=project, kind="import", requested_by=admin, arguments={"file_name": "a"}) for _ in range(n)
        )
        AuditEvent.objects.bulk_create(
            AuditEvent(project=project, actor=admin, verb="source.import", target=f"x:{i}") for i in range(n)
        )
    return admin


@pytest.mark.parametrize(
    "page",
    ["", "sources/", "samples/", "jobs/", "audit/", "members/", "export/", "import/", "sources/?sort=-words"],
)
def test_queries_do_not_grow_with_the_rows(sizes, client, page):
    client.force_login(sizes)
    client.get("/p/small/")  # what is read once per process
    client.get("/p/large/")

    small, large = (queries(client, f"/p/{slug}/{page}") for slug in ("small", "large"))

    assert small == large <= (16 if page else 40)  # the overview counts everything at a glance


def test_home_does_not_grow_with_the_projects(world, client):
    client.force_login(world.people["admin"])
    client.get("/")  # whose session it is, is known from the second request on
    create_project(slug="second", schema="macsum-doc", created_by=world.people["admin"])
    few = queries(client, "/")
    for n in range(30):
        create_project(slug=f"more-{n}", schema="macsum-doc", created_by=world.people["admin"])

    assert queries(client, "/") == few <= 16


def test_sources_are_listed_in_pages_of_fifty(sizes, client):
    client.force_login(sizes)
    first, second = (client.get(f"/p/large/sources/?page={n}").content.decode() for n in (1, 2))

    assert "1 to 50 of 70" in first and "51 to 70 of 70" in second
    assert ">large-0<" in first and ">large-69<" in second and ">large-69<" not in first


def test_sources_are_sorted_by_the_named_columns(sizes, client):
    client.force_login(sizes)
    page = client.get("/p/small/sources/?sort=-external_id").content.decode()

    assert page.index(">small-2<") < page.index(">small-1<") < page.index(">small-0<")
    assert 'aria-sort="descending"' in page


def test_sources_are_found_by_a_part_of_id_or_title_in_any_case(sizes, client):
    client.force_login(sizes)
    by_id = client.get("/p/large/sources/?q=large-6").content.decode()
    by_title = client.get("/p/large/sources/?q=Source+69").content.decode()
    inside = client.get("/p/large/sources/?q=ARGE-6").content.decode()

    assert ">large-6<" in by_id and ">large-60<" in by_id and ">large-5<" not in by_id
    assert ">large-69<" in by_title and ">large-6<" not in by_title
    assert ">large-6<" in inside and ">large-5<" not in inside


def test_filters_in_use_are_counted_and_each_can_be_cleared(sizes, client):
    client.force_login(sizes)
    page = client.get("/p/large/sources/?q=LARGE-6&state=unlicensed&sort=-words&page=1").content.decode()

    assert "11 matches" in " ".join(page.split())
    assert 'aria-label="Clear the filter State"' in page and "without a licence" in page
    assert 'href="/p/large/sources/?q=LARGE-6&amp;sort=-words"' in page
    assert 'href="/p/large/sources/?state=unlicensed&amp;sort=-words"' in page
    assert "Clear all" in page


@pytest.mark.parametrize(
    ("path", "hit", "miss"),
    [
        ("samples/?source=MALL-1", "small-1#0", "small-2#0"),
        ("members/?q=NNOTAT", "annotator", ">admin<"),
        ("jobs/?q=COUNCIL", "Council.jsonl", "Other.jsonl"),
        ("jobs/?kind=export", "Export", "Council.jsonl"),
        ("rounds/?q=SECOND", "The second round", "The first round"),
        ("rounds/?state=draft&q=second", "The second round", "The first round"),
    ],
)
def test_a_list_shows_what_contains_the_text_in_any_case(sizes, client, path, hit, miss):
    client.force_login(sizes)
    project = Project.objects.get(slug="small")
    make_people(1, project)
    for name in ("Council.jsonl", "Other.jsonl"):
        create_job(kind="import", project=project, by=sizes, arguments={"file_name": name})
    create_job(kind="export", project=project, by=sizes)
    for number, (name, state) in enumerate((("The first round", "draft"), ("The second round", "draft")), 1):
        Round.objects.create(
            project=project, number=number, name=name, state=state, config={}, seed=1, raters_per_item=1
        )
    page = client.get(f"/p/small/{path}").content.decode()

    rows = page.partition("<tbody>")[2].partition("</tbody>")[0]
    assert hit in rows and miss not in rows


def test_combinations_are_offered_in_words(sizes, client):
    client.force_login(sizes)
    page = client.get("/p/small/samples/").content.decode()
    code = Project.objects.get(slug="small").samples.first().combination

    assert f'<option value="{code}">Length ' in page
    assert code in client.get(f"/p/small/samples/?combination={code}").content.decode()


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("sources/?sort=project__export_salt", "cannot be sorted by"),
        ("sources/?sort=source_import__created_by__password", "cannot be sorted by"),
        ("sources/?page=0", "the last page is 1"),
        ("sources/?page=-1", "the last page is 1"),
        ("sources/?page=1000000000", "the last page is 1"),
        ("sources/?page=x", "There is no page x"),
        ("sources/?page=٣", "the last page is 1"),
        ("sources/?state=hidden", "state:"),
        ("sources/?q=%00", "q:"),
        ("sources/?q=" + "x" * 300, "q:"),
        ("samples/?combination=" + "x" * 61, "combination:"),
        ("samples/?state=' or 1=1", "state:"),
        ("jobs/?page=99", "the last page is 1"),
        ("audit/?page=1e3", "the last page is 1"),
    ],
)
def test_what_a_list_does_not_know_is_refused_in_words(sizes, client, address, words):
    client.force_login(sizes)
    answer = client.get(f"/p/small/{address}")

    assert answer.status_code == 400
    assert words in answer.content.decode()


def test_the_overview_counts_the_way_of_the_dataset(world):
    page = world.as_("admin").get("/p/news/").content.decode()

    assert "0 <small>of 8</small>" in " ".join(page.split()), "written of the places"
    assert "Extract candidate topics" in page


def test_the_first_page_tells_somebody_new_what_happens_next(world):
    page = world.as_("idle").get("/").content.decode()

    assert "You are not in a project yet" in page and "idle" in page


def test_an_annotator_reaches_the_next_task_without_script(world):
    client = world.as_("annotator")
    page = client.get("/").content.decode()
    assert 'action="/p/news/next/"' in page and 'data-action="next-task"' in page

    answer = client.post("/p/news/next/", follow=True)

    assert answer.status_code == 200
    assert answer.redirect_chain[-1][0].startswith("/tasks/")
    assert "Continue writing" in client.get("/").content.decode()


def test_a_closed_project_is_not_offered(world):
    Project.objects.filter(slug="news").update(archived_at="2024-05-01T00:00Z")
    assert "news" not in world.as_("annotator").get("/").content.decode().lower()
