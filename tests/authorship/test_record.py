"""The authorship record: merged whatever comes twice or in another order, bounded, and absent without consent."""

import itertools

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Annotation, Draft, GuidelineReading
from annotation.services.core.errors import BadInput
from annotation.services.tasks import authorship
from tests.tasks.factories import payload

pytestmark = pytest.mark.django_db
BORDERS = ("SAVEPOINT", "RELEASE", "BEGIN", "COMMIT")


def page(name="a", **counts):
    return {"page": name, "typed": 0, "deleted": 0, "bursts": 0, "longest_burst": 0, "pastes": [], **counts}


def pasted(size, origin="outside"):
    return {"size": size, "origin": origin}


def test_counts_of_all_pages_are_stored_with_the_annotation(writer):
    writer.draft("One.", authorship=page("a", typed=40, deleted=3, bursts=2, longest_burst=30))
    writer.draft("Two.", authorship=page("b", typed=10, pastes=[pasted(250), pasted(90, "source")]))
    body = {"payload": payload(), "authorship": page("b", typed=60, pastes=[pasted(250), pasted(90, "source")])}
    writer("POST", f"assignments/{writer.task}/submit/", body, Idempotency_Key="k")

    row = Annotation.objects.get()
    assert row.authorship == {
        "pages": 2,
        "typed": 100,
        "deleted": 3,
        "bursts": 2,
        "longest_burst": 30,
        "pasted": {"source": 90, "outside": 250, "own": 0},
        "pastes": [pasted(250), pasted(90, "source")],
    }
    assert row.outside_paste == 250
    assert authorship.compute_shares(row.authorship) == {"typed": 0.2273, "source": 0.2045, "outside": 0.5682}


def test_messages_may_come_twice_and_in_any_order():
    states = [
        page("a", typed=5),
        page("a", typed=9, pastes=[pasted(10)]),
        page("b", deleted=2),
        page("a", typed=9, pastes=[pasted(14), pasted(3, "own")]),
    ]
    items = []
    for order in itertools.permutations([*states, states[1]]):
        pages = {}
        for item in order:
            pages = authorship.merge_page_counts(pages, authorship.parse_page_counts(item))
        items.append(authorship.build_record(pages))
    assert all(item == items[0] for item in items)
    assert items[0]["typed"] == 9 and items[0]["pasted"] == {"source": 0, "outside": 14, "own": 3}


def test_the_same_draft_again_counts_once(writer):
    for _ in range(2):
        writer.revision = 0
        writer.draft("One.", authorship=page(typed=4))
    assert authorship.build_record(Draft.objects.get().authorship)["typed"] == 4


def test_pages_beyond_the_bound_are_left_out_and_said_so():
    pages = {}
    for n in range(authorship.MAX_PAGES + 5):
        pages = authorship.merge_page_counts(pages, authorship.parse_page_counts(page(f"p{n}", typed=1)))
    assert len(pages) == authorship.MAX_PAGES + 1
    record = authorship.build_record(pages)
    assert (record["typed"], record["incomplete"]) == (authorship.MAX_PAGES, True)


@pytest.mark.parametrize(
    "wrong",
    [
        {"typed": 1},
        page("", typed=1),
        page("x" * 41),
        page(typed=-1),
        page(typed=True),
        page(typed=authorship.MAX_COUNT + 1),
        page(pastes=[pasted(1, "somewhere")]),
        page(pastes=[pasted("1")]),
        page(pastes=[{**pasted(1), "text": "no"}]),
        page(pastes=[pasted(1)] * (authorship.MAX_PASTES + 1)),
        page(keys="abc"),
        [],
        "a",
    ],
)
def test_another_shape_is_refused_and_names_the_field(wrong):
    with pytest.raises(BadInput) as error:
        authorship.parse_page_counts(wrong)
    assert error.value.field.startswith(("authorship", "keys", "text"))


def test_nothing_is_stored_without_consent(writer):
    GuidelineReading.objects.update(consent=False)
    writer.draft(authorship=page(typed=4))
    writer("POST", f"assignments/{writer.task}/submit/", {"payload": payload(), "authorship": page(typed=9)},
           Idempotency_Key="k")  # fmt: skip
    assert Draft.objects.get().authorship == {} and Annotation.objects.get().authorship == {}


def test_consent_taken_back_takes_the_counts_along(writer):
    writer.draft(authorship=page(typed=4))
    GuidelineReading.objects.update(consent=False)
    writer.draft("More.", authorship=page(typed=9))
    assert Draft.objects.get().authorship == {}


def test_a_draft_with_its_counts_costs_four_statements(writer):
    writer.beat("write", active=False)
    for n in range(3):
        with CaptureQueriesContext(connection) as log:
            writer.draft(f"Text {n}", step="write", authorship=page(typed=n, pastes=[pasted(5)]))
        assert len([row for row in log.captured_queries if not row["sql"].startswith(BORDERS)]) <= 4
