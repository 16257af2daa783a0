"""Skip rates, samples that leave the pool after k skips, and the same combination drawn on another source."""

import pytest

from annotation.models import AuditEvent, PoolExit, Sample, Slot
from annotation.services.core.errors import Conflict
from annotation.services.staff import skipped_samples
from annotation.services.tasks import claim
from tests.staff.conftest import make_staff
from tests.tasks.factories import make_people

pytestmark = pytest.mark.django_db


@pytest.fixture
def out(staff) -> PoolExit:
    """Both annotators skipped the first sample, and two are enough."""
    type(staff.project).objects.update(skip_limit=2)
    staff.skip(staff.one), staff.skip(staff.two)
    assert skipped_samples.retire_skipped_samples() == 1
    return skipped_samples.list_pool_exits(staff.project)[0]


def test_rates_are_of_all_that_was_decided(staff):
    staff.write(staff.one, 3)
    staff.skip(staff.one, reason="damaged")
    staff.claim(staff.two)

    (row,) = skipped_samples.skip_rates(staff.project)

    assert (row.username, dict(row.reasons), row.decided, row.rate) == ("annotator1", {"damaged": 1}, 4, 0.25)


def test_a_sample_leaves_at_the_limit_and_not_before(staff):
    staff.skip(staff.one), staff.skip(staff.two)
    assert skipped_samples.retire_skipped_samples() == 0  # three are needed
    type(staff.project).objects.update(skip_limit=2)

    assert skipped_samples.retire_skipped_samples() == 1 and skipped_samples.retire_skipped_samples() == 0

    gone = skipped_samples.list_pool_exits(staff.project)[0]
    assert gone.skips == 2 and gone.sample.slots.get().state == "parked"
    assert AuditEvent.objects.get(verb="sample.leave_pool").target == f"sample:{gone.sample.public_id}"
    (new,) = make_people(1, staff.project, start=9)
    assert claim.claim_next(project=staff.project, annotator=new).assignment.sample_id != gone.sample_id


def test_a_place_given_back_after_its_sample_left_is_parked_too(staff, out):
    Slot.objects.filter(sample=out.sample).update(state="open")

    skipped_samples.retire_skipped_samples()

    assert out.sample.slots.get().state == "parked"


def test_put_back_it_is_offered_again_and_stays(staff, out):
    assert skipped_samples.put_sample_back(exit=out, by=staff.admin) == 1
    assert skipped_samples.retire_skipped_samples() == 0 and out.sample.slots.get().state == "open"


def test_the_combination_is_drawn_on_the_source_that_has_fewest_of_it(staff, out):
    other = [document for document in staff.project.documents.order_by("pk") if document.pk != out.sample.document_id]
    Sample.objects.filter(document=other[0]).update(combination="xyz")
    Sample.objects.filter(document=other[1]).update(combination=out.sample.combination)
    count_before = Sample.objects.filter(document=other[0]).count()

    source = skipped_samples.find_redraw_source(out)
    result = skipped_samples.redraw_sample(exit=out, by=staff.admin, expect=str(source.public_id))

    assert source == other[0] == result.document
    assert result.position == count_before and result.values == out.sample.values and result.sampler == "redraw@1"
    assert result.group.position == 2 and result.group.asks == ["topic"] and result.group.frozen_at is None
    assert [slot.state for slot in result.slots.all()] == ["open"]
    with pytest.raises(Conflict):
        skipped_samples.redraw_sample(exit=out, by=staff.admin, expect=str(source.public_id))
    with pytest.raises(Conflict):
        skipped_samples.put_sample_back(exit=out, by=staff.admin)


def test_another_source_than_the_one_shown_is_refused(staff, out):
    with pytest.raises(Conflict) as refused:
        skipped_samples.redraw_sample(exit=out, by=staff.admin, expect=str(out.sample.document.public_id))
    assert refused.value.code == "changed" and not Sample.objects.filter(sampler="redraw@1").exists()


def test_where_choosing_is_a_task_of_its_own_it_comes_first():
    staff = make_staff(phases="two")
    sample = Sample.objects.filter(project=staff.project).first()
    gone = PoolExit.objects.create(project=staff.project, sample=sample, skips=3, at=staff.project.created_at)

    result = skipped_samples.redraw_sample(
        exit=gone, by=staff.admin, expect=str(skipped_samples.find_redraw_source(gone).public_id)
    )

    states = result.group.slots.order_by("pk").values_list("sample", "state")
    assert list(states) == [(None, "open"), (result.pk, "waiting")]


def test_the_page_shows_where_it_would_go_and_does_it(staff, out):
    page = staff.client.get(staff.url("skips/")).content.decode()
    assert "news-0#0" in page and "100 %" in page

    sample = str(out.sample.public_id)
    response = staff.client.post(staff.url("skips/"), {"do": "show", "sample": sample})
    source = response.context["source"]
    assert source.external_id in response.content.decode() and not Sample.objects.filter(sampler="redraw@1").exists()
    staff.client.post(staff.url("skips/"), {"do": "redraw", "sample": sample, "source": source.public_id})

    assert Sample.objects.get(sampler="redraw@1").document == source
    assert staff.client.post(staff.url("skips/"), {"do": "show", "sample": "x"}).status_code == 404
