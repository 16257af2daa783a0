"""Quotas and pauses hold in the claim; what is held stays; many people at once, all or nothing."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import AuditEvent, Participation
from annotation.services.core.errors import Conflict, NotFound
from annotation.services.people import member_bulk_actions, quotas
from annotation.services.tasks import claim as task_claim
from annotation.services.tasks import submit
from tests.people.conftest import signed_in
from tests.staff.conftest import make_staff
from tests.tasks.factories import payload

pytestmark = pytest.mark.django_db


def claim(staff, who=None) -> task_claim.ClaimResult:
    return task_claim.claim_next(project=staff.project, annotator=who or staff.one)


def limit(staff, tasks: int | None) -> None:
    quotas.set_quota(project=staff.project, users=[staff.one], max_tasks=tasks, by=staff.admin)


def test_a_quota_ends_new_tasks_and_skips_do_not_count(staff):
    limit(staff, 2)
    staff.skip(staff.one)
    staff.write(staff.one, 2)

    assert claim(staff) == task_claim.ClaimResult(None, "quota")
    assert claim(staff, staff.two).assignment is not None, "another person"
    page = signed_in(staff.one).post("/p/news/next/", follow=True).content.decode()
    assert "You have completed all your tasks" in page
    limit(staff, 3)
    assert claim(staff).assignment is not None
    limit(staff, None)
    assert Participation.objects.get().max_tasks is None


def test_a_unit_is_cut_to_the_quota(db):
    staff = make_staff(claim_unit="source", size=4)
    limit(staff, 3)
    claim(staff)
    assert staff.one.assignments.filter(state="claimed").count() == 3


def test_what_ran_out_is_taken_up_within_the_quota_only(db):
    staff = make_staff(claim_unit="source", size=4)
    claim(staff)
    count = staff.one.assignments.count()
    staff.one.assignments.update(state="expired")
    staff.one.claims.update(closed_at="2026-01-01T00:00Z")
    staff.project.slots.filter(state="taken").update(state="open")
    limit(staff, count - 1)
    assert claim(staff).assignment is not None
    assert staff.one.assignments.filter(state="claimed").count() == count - 1


def test_paused_no_new_task_the_held_one_stays_and_the_reason_is_read(staff):
    result = staff.claim(staff.one)
    quotas.pause_members(project=staff.project, users=[staff.one], note="Please read the mail.", by=staff.admin)

    assert claim(staff).assignment.pk == result.pk
    submit.submit_task(assignment=result, payload=payload(), idempotency_key="k")
    assert claim(staff).reason == "paused"
    page = signed_in(staff.one).get("/p/news/work/").content.decode()
    assert "You get no new tasks for now" in page and "Please read the mail." in page

    assert quotas.resume_members(project=staff.project, users=[staff.one], by=staff.admin) == 1
    assert claim(staff).assignment is not None
    verbs = AuditEvent.objects.filter(verb__startswith="member.").order_by("id").values_list("verb", flat=True)
    assert list(verbs) == ["member.pause", "member.resume"]


def test_a_quota_costs_the_claim_two_statements_and_nobody_else_any(staff):
    def cost(who) -> int:
        with CaptureQueriesContext(connection) as log:
            claim(staff, who)
        return len([row for row in log.captured_queries if not row["sql"].startswith(("SAVEPOINT", "RELEASE"))])

    limit(staff, 5)
    assert cost(staff.one) - cost(staff.two) == 2
    assert cost(staff.one) <= 12


def test_many_people_at_once_from_the_page(staff):
    form = {"do": "bulk", "action": "quota", "max_tasks": "7", "person": ["annotator1", "annotator2"]}
    page = staff.client.post(staff.url("members/"), form, follow=True).content.decode()

    assert "Applied to 2 of 2 selected." in page and "0 of 7" in page
    assert set(Participation.objects.values_list("max_tasks", flat=True)) == {7}
    form = {"do": "bulk", "action": "give", "role": "reviewer", "person": ["annotator1", "annotator2"]}
    staff.client.post(staff.url("members/"), form)
    assert staff.project.memberships.filter(role="reviewer").count() == 2


def test_all_or_nothing(staff):
    def bulk(**given) -> int:
        return member_bulk_actions.act_on_members(
            project=staff.project, users=[staff.one, staff.admin], by=staff.admin, **given
        )

    with pytest.raises(Conflict):
        bulk(action="take", role="admin")  # the last one
    with pytest.raises(NotFound):
        bulk(action="close")  # accounts are for site admins
    assert staff.admin.memberships.filter(role="admin").exists()
    staff.one.refresh_from_db()
    assert staff.one.is_active


def test_the_audit_log_is_filtered_by_who_and_what(staff):
    limit(staff, 3)
    quotas.pause_members(project=staff.project, users=[staff.two], by=staff.admin)

    def told(query: str) -> str:
        return staff.client.get(staff.url(f"audit/?{query}")).content.decode()

    changed = "changed a person&#x27;s task limit"
    assert changed in told("") and "annotator1" in told("did=Task+limit") and "annotator1" in told("did=member.quota")
    assert "annotator2" not in told("did=Task+limit") and changed not in told("who=nobody")
