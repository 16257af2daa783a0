"""The pilot in a real browser: a candidate writes it, an admin compares and qualifies, and a task comes."""

from django.contrib.auth.models import User
from playwright.sync_api import expect

from annotation.models import Annotation, Assignment, Membership, Role, Sample
from annotation.services.tasks import assignments, pilot_gate, submit
from tests.browser import world
from tests.pilot.factories import next_task
from tests.tasks.factories import payload


def admin_of(project):
    user = User.objects.create(username="admin1")
    Membership.objects.create(user=user, project=project, role=Role.ADMIN)
    return user


def hand_in(project, person, text):
    """What the task page does; its own tests write by hand."""
    task = next_task(project, person)
    loaded = assignments.get_own_assignment(person, task.public_id)
    submit.submit_task(assignment=loaded, payload=payload(summary=text), idempotency_key=f"k{task.pk}")


def test_a_candidate_writes_the_pilot_and_is_qualified(open_page):
    project = world.news(frozen=True, documents=1, size=3)
    admin, candidate = admin_of(project), world.make_annotator(project)
    other = world.make_annotator(project, "annotator2")
    sample = Sample.objects.filter(project=project).order_by("pk")[0]
    page = open_page(admin, f"/p/{project.slug}/pilot/choose/{sample.public_id}/")
    page.get_by_role("button", name="Add to pilot").click()
    page.get_by_role("button", name="Start the pilot").click()
    page.get_by_role("button", name="Invite 2 annotators").click()
    page.get_by_text("2 annotators invited.").wait_for()
    project.refresh_from_db()

    other_page = open_page(candidate, f"/p/{project.slug}/work/")
    other_page.get_by_text("0 of 1 done").wait_for()
    other_page.locator('[data-action="next-task"]').first.click()
    other_page.wait_for_url("**/tasks/**")
    assert Assignment.objects.get(annotator=candidate).project.pilot_of_id == project.pk
    hand_in(project, candidate, "The last boat from Calder Point is back; islanders pay no more.")
    hand_in(project, other, "Fares rise.")
    other_page.goto(other_page.url.split("/tasks/")[0] + f"/p/{project.slug}/work/")
    other_page.get_by_text("Waiting for a decision").wait_for()

    page.reload()
    page.get_by_role("link", name="Compare the answers to").click()
    expect(page.locator(".answer")).to_have_count(2)
    expect(page.locator(".answer mark").first).to_have_text("The last boat from Calder Point", use_inner_text=True)
    page.get_by_role("link", name=candidate.username).first.click()
    page.get_by_label("Reason").fill("Keeps to the request.")
    page.get_by_role("button", name="Qualify").click()
    page.get_by_text("The candidate sees your reason").wait_for()

    other_page.reload()
    other_page.get_by_text("Keeps to the request.").wait_for()
    other_page.locator('[data-action="next-task"]').first.click()
    other_page.wait_for_url("**/tasks/**")
    assert Assignment.objects.filter(annotator=candidate, project=project, state="claimed").exists()
    assert not Annotation.objects.filter(project=project).exists()
    assert pilot_gate.pilot_progress(project, candidate).state == "qualified"
