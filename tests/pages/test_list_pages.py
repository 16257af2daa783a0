"""Long lists: pages read from either end hold the same rows, and a count that is shown is right to the row."""

import re

import pytest

from annotation.models import Annotation, AuditEvent, Sample
from annotation.services.core import kept_results, list_pages
from annotation.services.inspection import verdicts
from annotation.services.staff import release_and_void
from annotation.services.staff.release_and_void import Kind
from annotation.services.tasks import revisions
from annotation.services.withdrawal import withdraw
from annotation.views.core import pagination
from tests.inspection.factories import verdict
from tests.staff.conftest import make_staff
from tests.tasks.factories import make_project

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]
FILTERS = ["", "?state=submitted", "?state=returned", "?state=void", "?person=annotator1", "?sort=state"]


@pytest.fixture
def staff():
    """A project behind another one, so that ids and places differ."""
    make_project("older", documents=2, frozen=True)
    return make_staff(documents=10)


@pytest.fixture
def large(monkeypatch):
    """Every list counts as a large one."""
    monkeypatch.setattr(list_pages, "LARGE", 1)
    monkeypatch.setattr(list_pages, "KEYS_FIRST", 1)


def read_pages(staff, path: str) -> list[list[str]]:
    """The first cell of every line, page by page."""
    pages, url = [], staff.url(path)
    while url:
        text = staff.client.get(url).content.decode()
        pages.append(re.findall(r"news-\d+#\d+", text))
        following = re.search(r'rel="next"\s+href="([^"]+)"', text)
        url = staff.url(path.split("?")[0]) + following[1].replace("&amp;", "&") if following else ""
    return pages


@pytest.mark.parametrize("path", ["samples/", "annotations/", "annotations/?sort=state", "annotations/?sort=-person"])
def test_pages_read_from_either_end_hold_what_a_plain_list_holds(staff, monkeypatch, path):
    staff.write(staff.one, 9)
    staff.write(staff.two, 8)
    monkeypatch.setattr(pagination.paginate_rows, "__kwdefaults__", {"size": 4, "project": None})
    plain = read_pages(staff, path)
    assert len(plain) > 3 and len(plain[-1]) < 5
    monkeypatch.setattr(list_pages, "KEYS_FIRST", 1)
    assert read_pages(staff, path) == plain


def shown_counts(staff) -> list[int]:
    return [staff.client.get(staff.url(f"annotations/{which}")).context["rows"].paginator.count for which in FILTERS]


def counted(staff) -> list[int]:
    rows = Annotation.objects.filter(project=staff.project, assignment__isnull=False, sample__isnull=False)
    states = [rows.filter(assignment__state=state).count() for state in ("submitted", "returned", "void")]
    return [rows.count(), *states, rows.filter(assignment__annotator=staff.one).count(), rows.count()]


def test_counts_that_are_kept_are_right_after_every_write(staff, large):
    first, *_rest = staff.write(staff.one, 3)
    assert shown_counts(staff) == counted(staff) == [3, 3, 0, 0, 3, 3]
    staff.write(staff.two, 1)
    assert shown_counts(staff) == counted(staff) == [4, 4, 0, 0, 3, 4]
    returned = verdict("revise", comment="Say why.")
    verdicts.save_verdict(annotation=first.annotations.get(), reviewer=staff.admin, data=returned)
    assert shown_counts(staff) == counted(staff) == [4, 3, 1, 0, 3, 4]
    release_and_void.run_action(project=staff.project, person=staff.two, kind=Kind.VOID, by=staff.admin, expect=1)
    assert shown_counts(staff) == counted(staff) == [4, 2, 1, 1, 3, 4]
    result = staff.write(staff.one, 1)[0]
    revisions.take_back(assignment=result)
    assert shown_counts(staff) == counted(staff) == [5, 2, 2, 1, 4, 5]
    scope = withdraw.WithdrawalScope(remove_texts=True, reopen=True)
    fields = {"project": staff.project, "person": staff.one, "asked": scope, "by": staff.admin}
    withdraw.withdraw_person(expect=withdraw.preview_withdrawal(**fields).total, **fields)
    assert shown_counts(staff) == counted(staff)


def test_a_kept_count_is_not_counted_again_until_something_is_written(staff, large):
    staff.write(staff.one, 2)
    rows = Sample.objects.filter(project=staff.project)
    n = list_pages.count_rows(rows, staff.project)
    rows.filter(pk=rows.latest("pk").pk).update(state="void")  # no write of Epitome: it leaves no event
    assert list_pages.count_rows(rows.filter(state="active"), staff.project) == n - 1
    assert list_pages.count_rows(rows, staff.project) == n


def test_an_event_that_commits_behind_a_newer_one_is_noticed(staff, large):
    staff.write(staff.one, 2)
    rows = Annotation.objects.filter(project=staff.project)
    late = AuditEvent.objects.filter(project=staff.project).order_by("-pk")[1]
    values = {field.attname: getattr(late, field.attname) for field in AuditEvent._meta.concrete_fields}
    AuditEvent.objects.filter(pk=late.pk).delete()  # as seen while its transaction is still open
    hidden = rows.latest("pk")
    assert list_pages.count_rows(rows.exclude(pk=hidden.pk), staff.project) == 1
    assert list_pages.count_rows(rows, staff.project) == 2
    AuditEvent.objects.create(**values)
    Annotation.objects.filter(pk=hidden.pk).delete()
    assert list_pages.count_rows(rows, staff.project) == 1


@pytest.mark.parametrize("path", ["samples/", "annotations/", "annotations/?state=submitted"])
def test_a_list_costs_the_same_number_of_queries_at_any_size(staff, large, path, django_assert_num_queries):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    staff.write(staff.one, 3)
    staff.client.get(staff.url(path))
    with CaptureQueriesContext(connection) as few:
        staff.client.get(staff.url(path))
    n_queries = len(few)
    staff.write(staff.one, 12)
    staff.client.get(staff.url(path))
    with django_assert_num_queries(n_queries):
        staff.client.get(staff.url(path))


def test_what_is_kept_is_dropped_once_it_is_small(staff):
    sizes = [5]

    def keep() -> int:
        return kept_results.keep_while_unchanged(
            staff.project, ("sizes",), lambda: sizes[-1], is_large=lambda size: size > 3
        )

    assert keep() == 5
    sizes.append(6)
    assert keep() == 5
    staff.write(staff.one, 1)
    sizes.append(2)
    assert keep() == 2
    sizes.append(1)
    assert keep() == 1
