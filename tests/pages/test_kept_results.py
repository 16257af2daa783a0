"""What is kept is computed again when its state differs, and nobody can change it for others."""

from array import array
from collections import Counter
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

import pytest

from annotation.services.core import kept_results, list_pages
from annotation.services.core.kept_results import is_immutable, keep_copies, keep_result
from annotation.services.inspection import acceptance, queue, verdicts
from annotation.services.inspection.weekly_sample import week_of
from annotation.services.staff import dashboard, skipped_samples
from annotation.services.statistics import stored
from tests.inspection.factories import verdict
from tests.staff.conftest import make_staff
from tests.tasks.factories import make_project


@dataclass(frozen=True)
class Frozen:
    parts: object


@dataclass
class Changeable:
    n: int = 0


@pytest.mark.parametrize("value", [[], {}, {1}, Counter(), array("q"), Changeable(), object()])
def test_a_result_with_a_part_that_can_be_changed_is_not_kept(db, value):
    project = make_project("news")
    for result in (value, (1, value), Frozen(value), MappingProxyType({"part": value}), memoryview(bytearray(1))):
        with pytest.raises(TypeError, match="only immutable results are kept"):
            keep_result(project, ("parts",), 1, lambda result=result: result)


@pytest.mark.parametrize("value", [1, "word", None, date(2026, 3, 1), frozenset({1}), memoryview(b"12")])
def test_a_result_of_parts_that_cannot_be_changed_is_kept_until_its_state_differs(db, value):
    project, computed = make_project("news"), []

    def compute() -> tuple[object, ...]:
        computed.append(value)
        return (value, (value,), Frozen(value), MappingProxyType({"part": value}))

    for state in (1, 1, 2, 1):
        assert keep_result(project, ("parts",), state, compute)[0] == value
    assert len(computed) == 3


def test_everybody_gets_a_copy_of_a_result_that_can_be_changed(db):
    project = make_project("news")
    keep_copies(project, ("table",), 1, lambda: {"rows": [1]})["rows"].append(2)
    assert keep_copies(project, ("table",), 1, lambda: None) == {"rows": [1]}


def test_a_result_of_another_project_is_another_one(db):
    first, second = make_project("one"), make_project("two")
    for project in (first, second, first):
        assert keep_result(project, ("name",), 1, lambda project=project: project.slug) == project.slug


def test_everything_that_is_kept_of_a_project_is_immutable(db, monkeypatch):
    """Of a project in which something was done of each kind."""
    for module in (list_pages, skipped_samples, dashboard, stored):
        monkeypatch.setattr(module, "LARGE", 1)
    staff = make_staff()
    first, *_rest = staff.write(staff.one, 2)
    staff.skip(staff.two)
    annotation = first.annotations.get()
    verdicts.save_verdict(annotation=annotation, reviewer=staff.admin, data=verdict("accept"))
    week = week_of(annotation.created_at, staff.project)
    for path in ("", "samples/", "annotations/", "members/", "inspection/", "skips/", "statistics/", "overlap/"):
        assert staff.client.get(staff.url(path)).status_code == 200, path
    by_key = {key[3]: result for key, (_state, result) in kept_results._kept_results.items()}
    assert {"progress of week", "skip rates", "recent work", "agreement", "resubmitted", "samples"} <= by_key.keys()
    assert all(map(is_immutable, by_key.values()))
    with pytest.raises(AttributeError):
        queue.keep_progress(staff.project, week)[0].handed_in = 9
    with pytest.raises(TypeError):
        skipped_samples.skip_rates(staff.project)[0].reasons["other"] = 9
    with pytest.raises(TypeError):
        acceptance.count_agreement(staff.project).parts["summary"] = (9, 9)
