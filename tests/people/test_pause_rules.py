"""Rules pause a member by verdicts or by time, tell staff why, and count only what came after a resume."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.api.people.serializers import ProjectSettingsIn
from annotation.models import Annotation, AuditEvent, Claim, Participation, Project, Role
from annotation.services.core.errors import BadInput
from annotation.services.people import pause_rules, projects, quotas
from annotation.services.tasks import claim as task_claim
from annotation.services.tasks import submit
from annotation.views.people.settings_forms import PauseRulesForm
from tests.inspection.factories import make_small_project, save_inspection, submit_summaries
from tests.people.conftest import signed_in
from tests.tasks.factories import make_people, payload

pytestmark = pytest.mark.django_db
OFF = {"rules-pause_after_returned": "", "rules-pause_accepted_below": "", "rules-pause_seconds_below": ""}


class Inspected:
    """A project with one annotator, a reviewer and an admin; each summary is a claim of its own."""

    def __init__(self, **rules):
        options = {"documents": 4, "groups": 2, "claim_unit": "sample", **rules}
        self.project, (self.writer,), (self.reviewer,) = make_small_project(reviewers=1, **options)
        (self.admin,) = make_people(1, self.project, Role.ADMIN)
        self.client = signed_in(self.admin)

    def inspect(self, *verdicts: str) -> None:
        for verdict in verdicts:
            (summary,) = submit_summaries(self.project, self.writer)
            save_inspection(summary, self.reviewer, verdict=verdict)
            if verdict == "revise":  # out of the writer's way
                summary.assignment.claim.assignments.update(state="submitted")
                Claim.objects.filter(annotator=self.writer).update(closed_at=summary.created_at)

    def write(self, *seconds: float) -> None:
        """Summaries that took this much active time."""
        for active in seconds:
            task = task_claim.claim_next(project=self.project, annotator=self.writer).assignment
            activity = {"at": "", "step": "write", "attempt": 0, "seconds": {str(task.pk): {"write": active}}}
            Claim.objects.filter(pk=task.claim_id).update(activity=activity)
            task.refresh_from_db()
            task.allows_record = True
            submit.submit_task(assignment=task, payload=payload(), idempotency_key=f"k{task.pk}")

    def is_paused(self) -> bool:
        return Participation.objects.filter(user=self.writer, paused_at__isnull=False).exists()

    def reason(self) -> str:
        return pause_rules.describe_reason(Participation.objects.get(user=self.writer).pause_reason)

    def resume(self):
        form = {"do": "resume", "username": self.writer.username}
        return self.client.post(reverse("members", args=[self.project.slug]), form, follow=True)

    def members_page(self) -> str:
        return self.client.get(reverse("members", args=[self.project.slug])).content.decode()


def test_without_a_rule_nobody_is_paused():
    world = Inspected()
    world.inspect("reject", "reject", "reject")
    world.write(1, 1, 1)
    assert not Participation.objects.exists()


def test_returned_and_rejected_in_a_row_pause_and_an_accepted_one_between_does_not():
    world = Inspected(pause_after_returned=2)
    world.inspect("reject", "accept", "revise")
    assert not world.is_paused()
    world.inspect("reject")
    assert world.is_paused()
    assert world.reason() == "Rule: 2 tasks in a row returned or rejected."


def test_a_small_share_accepted_pauses_once_there_are_enough():
    world = Inspected(pause_accepted_below=0.5, pause_window=4)
    world.inspect("reject", "reject", "accept")
    assert not world.is_paused()
    world.inspect("reject")
    assert world.is_paused()
    assert world.reason().replace("\u202f", " ").replace("\xa0", " ") == (
        "Rule: 1 of the last 4 inspected accepted, less than 50 %."
    )


def test_a_share_at_the_limit_does_not_pause():
    world = Inspected(pause_accepted_below=0.5, pause_window=4)
    world.inspect("reject", "accept", "reject", "accept")
    assert not world.is_paused()


def test_a_short_median_of_active_time_pauses_and_the_submit_counts():
    world = Inspected(pause_seconds_below=60, pause_window=3)
    world.write(300, 20)
    assert not world.is_paused()
    world.write(31)
    assert world.is_paused()
    assert Annotation.objects.count() == 3
    assert world.reason() == "Rule: median of 31.0 s of active time in the last 3 tasks, less than 60 s."


def test_a_median_at_the_limit_and_tasks_without_active_time_do_not_pause():
    world = Inspected(pause_seconds_below=60, pause_window=2)
    world.write(60, 60)
    submit_summaries(world.project, world.writer, 2)
    assert not world.is_paused()


def test_the_short_time_of_a_revision_does_not_count():
    world = Inspected(pause_seconds_below=60, pause_window=2)
    world.write(100)
    world.project.pause_seconds_below = None
    world.project.save()
    world.write(5)
    Annotation.objects.filter(timings__active_seconds=5).update(revision=2)
    world.project.pause_seconds_below = 60
    world.project.save()
    world.write(100)
    assert not world.is_paused()


def test_staff_read_why_and_the_person_reads_a_neutral_text():
    world = Inspected(pause_after_returned=1)
    world.inspect("reject")
    page = signed_in(world.writer).get(reverse("work", args=[world.project.slug])).content.decode()
    assert "New tasks are paused for you until the team resumes them." in page
    assert "rejected." not in page
    assert "Rule: 1 task returned or rejected." in world.members_page()
    event = AuditEvent.objects.get(verb="member.pause")
    assert (event.actor, event.target) == (None, f"user:{world.writer.pk}")
    assert event.detail == {"origin": "rule", "rule": "returned", "n": 1}
    log = world.client.get(reverse("audit", args=[world.project.slug])).content.decode()
    assert "paused a member" in log


def test_a_task_in_hand_stays_and_can_be_submitted():
    world = Inspected(pause_after_returned=1)
    (summary,) = submit_summaries(world.project, world.writer)
    assignment = task_claim.claim_next(project=world.project, annotator=world.writer).assignment
    save_inspection(summary, world.reviewer, verdict="reject")
    assert world.is_paused()
    assert task_claim.claim_next(project=world.project, annotator=world.writer).assignment == assignment
    answer = submit.submit_task(assignment=assignment, payload=payload(), idempotency_key="k")
    assert answer.status == 201
    assert task_claim.claim_next(project=world.project, annotator=world.writer).reason == "paused"


def test_one_click_resumes_and_only_what_came_after_counts():
    world = Inspected(pause_after_returned=2)
    world.inspect("reject", "reject")
    page = world.resume().content.decode()
    assert "Resumed: annotator1." in page
    assert not world.is_paused()
    assert "Rule: " not in page
    world.inspect("reject")
    assert not world.is_paused(), "one rejection after the resume"
    world.inspect("reject")
    assert world.is_paused()


def test_time_before_a_resume_does_not_count():
    world = Inspected(pause_seconds_below=60, pause_window=2)
    world.write(5, 5)
    world.resume()
    world.write(5)
    assert not world.is_paused()
    world.write(5)
    assert world.is_paused()


def test_a_second_inspection_counts_for_nothing():
    world = Inspected(pause_after_returned=2)
    world.inspect("reject")
    first = world.project.inspections.get()
    world.project.inspections.create(
        annotation=first.annotation,
        reviewer=world.admin,
        second=True,
        verdict="reject",
        verdicts={},
        created_at=first.created_at,
    )
    assert not pause_rules.preview_pauses(world.project, pause_rules.PauseRules.of_project(world.project))


def test_a_pause_of_staff_is_not_overwritten():
    world = Inspected(pause_after_returned=1)
    (summary,) = submit_summaries(world.project, world.writer)
    quotas.pause_members(project=world.project, users=[world.writer], note="Please call.", by=world.admin)
    save_inspection(summary, world.reviewer, verdict="reject")
    row = Participation.objects.get()
    assert (row.pause_note, row.pause_reason, row.paused_by) == ("Please call.", {}, world.admin)


def test_the_rules_are_saved_on_the_settings_page():
    world = Inspected()
    address = reverse("project-settings", args=[world.project.slug])
    form = {**OFF, "do": "rules", "rules-pause_after_returned": "3", "rules-pause_window": "20"}
    assert world.client.post(address, form).status_code == 302
    stored = Project.objects.get(pk=world.project.pk)
    assert (stored.pause_after_returned, stored.pause_window, stored.pause_accepted_below) == (3, 20, None)
    wrong = world.client.post(address, {**form, "rules-pause_accepted_below": "1.5"})
    assert wrong.status_code == 422
    assert Project.objects.get(pk=world.project.pk).pause_accepted_below is None


def test_the_preview_names_whom_the_entered_rules_would_pause_and_saves_nothing():
    world = Inspected()
    world.inspect("reject", "reject")
    address = reverse("project-settings", args=[world.project.slug])
    form = {**OFF, "do": "preview", "rules-pause_after_returned": "2", "rules-pause_window": "10"}
    page = world.client.post(address, form).content.decode()
    assert "these rules would pause 1 member." in page
    assert "annotator1" in page
    assert "2 tasks in a row returned or rejected." in page
    assert Project.objects.get(pk=world.project.pk).pause_after_returned is None
    assert not world.is_paused()
    page = world.client.post(address, {**form, "rules-pause_after_returned": "3"}).content.decode()
    assert "these rules would pause nobody." in page


def test_the_preview_counts_each_person_alone_and_leaves_out_who_is_paused():
    world = Inspected()
    world.write(5, 5)
    first, (second,) = world.writer, make_people(1, world.project, start=2)
    world.writer = second
    world.write(5, 500)
    rules = pause_rules.PauseRules(seconds_below=60, window=2)
    assert [row.user for row in pause_rules.preview_pauses(world.project, rules)] == [first]
    quotas.pause_members(project=world.project, users=[first], by=world.admin)
    assert pause_rules.preview_pauses(world.project, rules) == []


def test_the_api_sets_the_rules_and_lists_who_is_paused():
    world = Inspected()
    address = reverse("api-project", args=[world.project.slug])
    changed = world.client.patch(address, {"pause_after_returned": 1}, content_type="application/json")
    assert changed.json()["pause_after_returned"] == 1
    (summary,) = submit_summaries(world.project, world.writer)
    save_inspection(summary, world.reviewer, verdict="reject")
    pauses = world.client.get(reverse("api-members-pauses", args=[world.project.slug])).json()
    (row,) = pauses["paused"]
    assert (row["username"], row["rule"]) == ("annotator1", {"rule": "returned", "n": 1})
    assert row["reason"] == "Rule: 1 task returned or rejected."
    assert pauses["would_pause"] == []


@pytest.mark.parametrize(
    ("name", "value"),
    [("pause_after_returned", 0), ("pause_accepted_below", float("nan")), ("pause_seconds_below", 0)],
)
def test_wrong_rules_are_refused_by_name(name, value):
    world = Inspected()
    with pytest.raises(BadInput) as error:
        projects.change_settings(project=world.project, by=None, **{name: value})
    assert error.value.field == name


def test_every_rule_has_a_field_of_the_form_and_of_the_api():
    assert tuple(PauseRulesForm.base_fields) == pause_rules.SETTINGS
    assert set(pause_rules.SETTINGS) <= ProjectSettingsIn().fields.keys()


def test_a_rule_costs_one_query_and_none_while_it_is_off():
    world = Inspected()
    queries = []
    for seconds in (None, 60):
        world.project.pause_seconds_below = seconds
        world.project.save()
        with CaptureQueriesContext(connection) as log:
            world.write(70)
        queries.append(len(log.captured_queries))
    assert queries[1] - queries[0] == 1
