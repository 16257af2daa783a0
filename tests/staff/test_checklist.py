"""The check list of the overview leads from a first file to a release, and offers only what can be done."""

import json
import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Annotation, AuditEvent, Group, InspectionSample, Project, Release, Role, Sample, Slot
from annotation.services.people.projects import create_project
from evaluation.models import RatingSlot, Round
from tests.export.factories import import_rows, row
from tests.rounds.factories import launch_new_round, make_run, project_with_gold, raters_of
from tests.sources.conftest import import_
from tests.tasks.factories import make_people, make_project, pass_gate

pytestmark = pytest.mark.django_db
ITEM = r'<li class="step-(\w+)[^"]*">.*?<span class="step-title">\s*(?:<a [^>]*>)?(.*?)(?:</a>)?\s*</span>(.*?)</li>'


def open_as(project, *roles) -> Client:
    (user,) = make_people(1, project, roles[0], start=Slot.objects.count() + 500 + project.memberships.count())
    for role in roles[1:]:
        project.memberships.create(user=user, role=role)
    client = Client()
    client.force_login(user)
    return client


def overview(project, *roles) -> str:
    return open_as(project, *(roles or (Role.ADMIN,))).get(reverse("project", args=[project.slug])).content.decode()


def step_of(project) -> tuple[str, str]:
    """(title, address) of the step that an admin is shown as the next; "" without one."""
    block = re.search(r'<li class="checklist-current">(.*?)</li>', overview(project), re.DOTALL)
    if block is None:
        return "", ""
    title = re.search(r"<strong>(.*?)</strong>", block[1])
    link = re.search(r'<a class="button primary"\s*href="([^"]+)"', block[1])
    return title[1], link[1] if link else ""


def states_of(page: str) -> dict[str, str]:
    """Title -> state of every step in the list."""
    return {title.strip(): state for state, title, _rest in re.findall(ITEM, page, re.DOTALL)}


def notes_of(page: str) -> dict[str, str]:
    """Title -> what is said beside it."""
    found = re.findall(ITEM, page, re.DOTALL)
    return {title.strip(): " ".join(re.sub("<[^>]+>", " ", rest).split()) for _state, title, rest in found}


@pytest.fixture
def written():
    """A project with gold whose slots are all filled, by a person."""
    project = project_with_gold()
    raters_of(project)
    make_people(1, project, start=300)
    Slot.objects.update(state="filled")
    project.documents.update(extractor="test@1")
    return project


@pytest.fixture
def with_references(tmp_path):
    """Sources that came with a summary each, and nothing else."""
    project = create_project(slug="own", schema="macsum-doc")
    folder = tmp_path / "in"
    folder.mkdir()
    import_rows(project, folder, [row(number) for number in range(3)])
    plain = project_with_gold("lender", documents=3)
    for annotation, document in zip(Annotation.objects.filter(project=plain)[:3], project.documents.all(), strict=True):
        group = Group.objects.create(project=project, document=document, position=0, frozen_at=timezone.now())
        Sample.objects.filter(pk=annotation.sample_id).update(
            project=project,
            document=document,
            group=group,
            position=0,
            sampler="import",
            values={},
            combination="___",
            raw_json="{}",
        )
        Annotation.objects.filter(pk=annotation.pk).update(project=project)
    project.documents.update(extractor="test@1")
    return project


def test_a_new_project_shows_every_step_and_why_it_waits():
    project = create_project(slug="new", schema="macsum-doc")
    page = overview(project)
    assert step_of(project) == ("Import sources", "/p/new/import/")
    notes = notes_of(page)
    assert notes["Draw requests for annotators"] == "There are no sources yet."
    assert notes["Write summaries"] == "There is nothing to write yet: no samples."
    assert notes["Inspect the sample"] == "Nothing is written yet."
    assert notes["Run systems"] == "There is nothing to summarize yet: no samples."
    assert notes["Have texts rated"] == "There is nothing to rate yet."
    assert notes["Read the report"] == "A report follows from a round."
    assert notes["Make a release"] == "There is nothing to release yet."
    offered = {title for title, state in states_of(page).items() if state == "open"}
    assert offered == {"Import sources", "Add annotators"}


def test_a_new_project_has_no_empty_tiles_and_says_what_it_is():
    page = overview(create_project(slug="new", schema="macsum-doc"))
    assert "Pipeline" not in page
    assert "News and other articles, English, 4 attributes." in " ".join(page.split())


def test_tiles_appear_as_they_fill(written):
    page = overview(written)
    assert '<span class="stage">Written</span>' in page and '<span class="stage">Inspected</span>' not in page
    assert '<span class="stage">Runs</span>' not in page
    make_run(written, "lead-3")
    assert '<span class="stage">Runs</span>' in overview(written)


def test_writing_in_progress_is_said_with_real_numbers_and_leads_on():
    project = make_project("one", documents=1, groups=1, size=2, frozen=True)
    make_people(1, project)
    project.documents.update(extractor="test@1")
    first = Slot.objects.order_by("pk")[0]
    Slot.objects.filter(pk=first.pk).update(state="taken")
    page = overview(project)
    assert "Writing in progress" in page and "0 of 2 summaries written, 1 in progress." in page
    assert "Write the next summary" not in page
    assert step_of(project) == ("Run systems", "/p/one/systems/")


def test_whoever_writes_too_gets_the_next_task_from_the_overview():
    project = make_project("one", documents=1, groups=1, size=2, frozen=True)
    project.documents.update(extractor="test@1")
    client = open_as(project, Role.ADMIN, Role.ANNOTATOR)
    page = client.get("/p/one/").content.decode()
    assert "Write the next summary" in page and 'action="/p/one/next/"' in page
    pass_gate(project, project.memberships.get(role=Role.ANNOTATOR).user)
    assert client.post("/p/one/next/")["Location"].startswith("/tasks/")


def test_the_steps_follow_each_other_to_a_release(written):
    slug = written.slug
    assert step_of(written) == ("Inspect the sample", f"/p/{slug}/inspection/")
    annotation = Annotation.objects.filter(project=written)[0]
    person = written.memberships.first().user
    InspectionSample.objects.create(project=written, annotation=annotation, annotator=person, week="2026-W10", seed="s")
    assert "1 summary to inspect" in overview(written)
    Project.objects.filter(pk=written.pk).update(skipped_steps=["inspection"])
    assert step_of(written) == ("Run systems", f"/p/{slug}/systems/")
    make_run(written, "lead-3")
    assert step_of(written) == ("Have texts rated", f"/p/{slug}/rounds/new/")
    round_ = launch_new_round(written, read=False)
    address = f"/p/{slug}/rounds/{round_.public_id}/"
    assert "Rating in progress" in overview(written)
    assert step_of(written) == ("Make a release", f"/p/{slug}/export/")
    RatingSlot.objects.update(state="filled")
    assert step_of(written) == ("Close round 1", address)
    Round.objects.update(state="closed", closed_at=timezone.now())
    assert step_of(written) == ("Unblind round 1", address)
    Round.objects.update(state="unblinded", unblinded_at=timezone.now())
    assert step_of(written) == ("Make a release", f"/p/{slug}/export/")
    Release.objects.create(project=written, tag="v1", rows={})
    page = overview(written)
    assert "All steps are done" in page and "checklist-now" not in page


def test_a_skipped_step_is_quiet_and_can_be_taken_up_again(written):
    client = open_as(written, Role.RESEARCHER)
    address = reverse("change-step", args=[written.slug])
    assert client.post(address, {"step": "inspection", "do": "skip"}).status_code == 302
    client.post(address, {"step": "inspection", "do": "skip"})
    page = client.get(f"/p/{written.slug}/").content.decode()
    assert states_of(page)["Inspect the sample"] == "skipped" and step_of(written)[0] == "Run systems"
    assert AuditEvent.objects.filter(verb="project.change_settings").count() == 1
    client.post(address, {"step": "inspection", "do": "resume"})
    assert step_of(written)[0] == "Inspect the sample"


def test_only_known_steps_are_skipped_and_only_by_makers(written):
    address = reverse("change-step", args=[written.slug])
    assert open_as(written, Role.ADMIN).post(address, {"step": "sources"}).status_code == 302
    assert open_as(written, Role.ADMIN).post(address, {"step": "no-such"}).status_code == 302
    assert open_as(written, Role.REVIEWER).post(address, {"step": "runs"}).status_code == 404
    assert Project.objects.get(pk=written.pk).skipped_steps == []


def test_a_reviewer_is_offered_inspection_only(written):
    page = overview(written, Role.REVIEWER)
    assert "Go to inspection" in page
    Project.objects.filter(pk=written.pk).update(skipped_steps=["inspection"])
    page = overview(written, Role.REVIEWER)
    assert "Run systems" in page and "Go to systems" not in page


def test_with_references_two_doors_are_open(with_references):
    page = overview(with_references)
    assert step_of(with_references) == ("Draw requests for annotators", "/p/own/samples/draw/")
    assert re.search(r'href="/p/own/systems/">\s*Measure systems on the references', page)
    assert "3 sources · 3 reference summaries" in page
    draw = open_as(with_references, Role.ADMIN).get("/p/own/samples/draw/").content.decode()
    assert "Measure systems on the references" in draw


def test_systems_measured_on_references_make_the_writing_needless(with_references):
    make_run(with_references, "lead-3")
    page = overview(with_references)
    states = states_of(page)
    assert {states[title] for title in ("Draw requests for annotators", "Add annotators", "Write summaries")} == {
        "skipped"
    }
    assert step_of(with_references) == ("Have texts rated", "/p/own/rounds/new/")
    assert "Not needed here." in notes_of(page)["Write summaries"]


def test_skipping_the_requests_skips_what_follows_from_them(with_references):
    Project.objects.filter(pk=with_references.pk).update(skipped_steps=["requests"])
    states = states_of(overview(with_references))
    assert {states[title] for title in ("Add annotators", "Write summaries", "Inspect the sample")} == {"skipped"}
    assert step_of(with_references)[0] == "Run systems"


def test_an_imported_benchmark_leads_to_systems_and_not_to_drawing(tmp_path):
    project = create_project(slug="bench", schema="macsum-doc")
    entry = {
        "id": "a",
        "article": "The mill closed. Nobody asked us, she said.",
        "summary": "The mill closed.",
        "length": "short",
    }
    file = tmp_path / "bench.jsonl"
    file.write_text(json.dumps(entry) + "\n", encoding="utf-8")
    mapping = {"text": "article", "summary": "summary", "attribute:length": "length"}
    import_(project, file, mapping=mapping)
    project.refresh_from_db()
    assert Sample.objects.filter(project=project).exists() and not Slot.objects.exists()
    states = states_of(overview(project))
    assert {states[title] for title in ("Extract candidate topics and speakers", "Add annotators")} == {"skipped"}
    title, address = step_of(project)
    assert title == "Run systems" and "systems" in address
    home = open_as(project, Role.ADMIN).get(reverse("home")).content.decode()
    assert "Next: draw samples" not in home and "no samples yet" not in home
