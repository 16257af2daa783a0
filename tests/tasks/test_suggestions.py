"""Texts that writers start from: chosen by an admin, frozen at the claim, compared with what was submitted."""

import hashlib

import pytest
from django.test import Client

from annotation.models import Annotation, Assignment, Project, Role, Suggestion
from annotation.services.core.errors import BadInput
from annotation.services.people import projects
from annotation.services.statistics.building import build_statistics
from annotation.services.tasks import assignments, claim, drafts, submit, task_payload
from annotation.services.tasks.assistance import assistance_by_document_id, assistance_by_external_id
from annotation.services.withdrawal.texts import TEXT_HOLDERS
from epitome.text.kept_words import METHOD
from modelbridge.models import Run, RunState, SystemOutput
from tests.export import factories as exporting
from tests.inspection.factories import save_inspection
from tests.rounds.factories import make_run
from tests.tasks.factories import make_people, make_project, payload

pytestmark = pytest.mark.django_db
SYSTEM = "secret-lead-system"
TEXT = "The ferry left late because a storm had closed the outer channel."
EDITED = "The ferry left late because a storm had closed the harbour."
SHARES = {"kept": 0.7593, "of_text": 0.8367, "identical": False}
"""Of EDITED: 41 of the suggestion's 54 letters and marks, 41 of its own 49."""


def suggest(project: Project, run: Run, assistance: str = "suggested") -> Project:
    settings = {"assistance": assistance, "suggestions_from": f"run:{run.public_id}"}
    return projects.change_settings(project=project, by=None, **settings)


@pytest.fixture
def project():
    return make_project(documents=1, groups=1, size=2, frozen=True)


@pytest.fixture
def run(project):
    result = make_run(project, SYSTEM, text=TEXT)
    suggest(project, result)
    return result


@pytest.fixture
def task(project, run):
    return claim.claim_next(project=project, annotator=make_people(1, project)[0]).assignment


def fresh(task) -> Assignment:
    return assignments.get_own_assignment(task.annotator, task.public_id)


def hand_in(task, summary: str, key: str = "k") -> Annotation:
    other_task = submit.submit_task(assignment=fresh(task), payload=payload(summary=summary), idempotency_key=key)
    return Annotation.objects.get(public_id=other_task.body["id"])


def signed_in(person) -> Client:
    client = Client()
    client.force_login(person)
    return client


@pytest.mark.db_engine
def test_a_claim_freezes_the_outputs_of_its_samples(project, run, task):
    SystemOutput.objects.update(text="Another text, of later.")
    rows = Suggestion.objects.order_by("pk")
    assert [row.text for row in rows] == [TEXT, TEXT]
    assert {(row.origin, row.text_hash) for row in rows} == {
        (f"run:{run.public_id}", hashlib.sha256(TEXT.encode()).hexdigest())
    }
    described = task_payload.describe_task(fresh(task))
    assert described["suggestion"] == {"text": TEXT}
    assert described["draft"] == {"revision": 0, "payload": {}, "updated_at": None}


def test_a_sample_without_a_usable_output_has_no_suggestion_and_the_page_says_so(project, run):
    SystemOutput.objects.filter(position=0).update(text=" \n ")
    task = claim.claim_next(project=project, annotator=make_people(1, project)[0]).assignment
    assert Suggestion.objects.count() == 1
    assert task_payload.describe_task(task)["suggestion"] == {"text": ""}
    page = signed_in(task.annotator).get(f"/tasks/{task.public_id}/").content.decode()
    assert "There is no suggested text for this sample." in page and "data-suggested" not in page
    assert hand_in(task, EDITED).suggestion == {}


def test_other_arms_get_nothing(project, run):
    project = projects.change_settings(project=project, by=None, assistance="full")
    task = claim.claim_next(project=project, annotator=make_people(1, project)[0]).assignment
    assert not Suggestion.objects.exists()
    assert task_payload.describe_task(task)["suggestion"] is None
    assert hand_in(task, TEXT).suggestion == {}


def test_the_request_comes_before_the_suggestion(project, run, task):
    task.group.frozen_at, task.group.asks = None, ["topic"]
    task.group.save()
    assert task_payload.describe_task(fresh(task))["suggestion"] == {"text": ""}


def test_what_was_kept_is_stored_with_every_revision(run, task):
    stored = hand_in(task, EDITED)
    text_hash = hashlib.sha256(TEXT.encode()).hexdigest()
    assert stored.suggestion == {"origin": f"run:{run.public_id}", "hash": text_hash, "method": METHOD, **SHARES}
    assert (stored.assistance, stored.as_suggested) == ("suggested", False)
    Assignment.objects.filter(pk=task.pk).update(state="returned")
    again = hand_in(task, TEXT, "again")
    assert again.as_suggested and (again.suggestion["kept"], again.suggestion["identical"]) == (1.0, True)


def test_a_saved_draft_goes_before_the_suggestion(task):
    drafts.save_draft(assignment=fresh(task), payload={"summary": ""}, revision=0)
    described = task_payload.describe_task(fresh(task))
    assert described["draft"]["payload"] == {"summary": ""} and described["draft"]["revision"] == 1


def test_no_byte_for_the_writer_names_the_system_or_its_run(project, run, task):
    client = signed_in(task.annotator)
    paths = (f"/tasks/{task.public_id}/", f"/api/v1/assignments/{task.public_id}/", f"/p/{project.slug}/work/")
    pages = [client.get(path).content.decode() for path in paths]
    assert TEXT in pages[0] and TEXT in pages[1]
    hand_in(task, EDITED)
    pages += [client.get(path).content.decode() for path in (*paths, f"/tasks/{task.public_id}/finished/")]
    for page in pages:
        assert SYSTEM not in page and str(run.public_id) not in page


def test_the_inspector_reads_the_share_after_the_verdict_and_lists_the_unchanged(project, task):
    (reviewer,) = make_people(1, project, Role.REVIEWER)
    client = signed_in(reviewer)
    edited = hand_in(task, EDITED)
    other = claim.claim_next(project=project, annotator=task.annotator).assignment
    unchanged = hand_in(other, TEXT)
    listed = client.get(f"/p/{project.slug}/annotations/?as_suggested=on").content.decode()
    assert str(unchanged.public_id) in listed and str(edited.public_id) not in listed
    assert "?as_suggested=on" in client.get(f"/p/{project.slug}/inspection/").content.decode()
    address = f"/p/{project.slug}/inspection/{edited.public_id}/"
    assert "suggested text was kept" not in client.get(address).content.decode()
    save_inspection(edited, reviewer)
    save_inspection(unchanged, reviewer)
    text_after = client.get(address).content.decode()
    assert (
        "76 % of the suggested text was kept; it makes up 84 % of the summary." in text_after
        and SYSTEM not in text_after
    )
    address = f"/p/{project.slug}/inspection/{unchanged.public_id}/"
    assert "Submitted as it had been suggested" in client.get(address).content.decode()


def test_the_export_tells_it_and_restores_it(project, run, task, tmp_path):
    hand_in(task, EDITED)
    path = exporting.export(project, tmp_path)
    (line,) = exporting.of_task(path, "summary")
    assert line["suggestion"]["origin"] == f"run:{run.public_id}"
    assert {name: line["suggestion"][name] for name in SHARES} == SHARES
    Run.objects.all().delete()
    exporting.delete_all_rows()
    again = exporting.restore_project(tmp_path, path)
    assert Annotation.objects.get().suggestion["kept"] == SHARES["kept"]
    assert exporting.export(again, tmp_path, "again.jsonl").read_bytes() == path.read_bytes()


def test_a_withdrawn_text_leaves_no_share(project, task, tmp_path):
    stored = hand_in(task, TEXT)
    TEXT_HOLDERS["summaries"].empty(Project.objects.filter(pk=project.pk), task.annotator_id)
    stored.refresh_from_db()
    assert (stored.suggestion, stored.as_suggested) == ({}, False)
    (line,) = exporting.of_task(exporting.export(project, tmp_path), "summary")
    assert line["suggestion"] is None


def test_lines_of_other_arms_are_as_before(project, tmp_path):
    task = claim.claim_next(project=project, annotator=make_people(1, project)[0]).assignment
    hand_in(task, EDITED)
    (line,) = exporting.of_task(exporting.export(project, tmp_path), "summary")
    assert "suggestion" not in line


def test_statistics_tell_the_median_by_arm(project, task):
    hand_in(task, EDITED)
    hand_in(claim.claim_next(project=project, annotator=task.annotator).assignment, TEXT)
    view = build_statistics(project)["views"]["v0"]
    table = next(section["table"] for section in view["sections"] if section["table"]["key"] == "arms")
    rows = {(row[0]["value"], row[1]["value"]): row[2] for row in table["rows"]}
    other_row = rows["Suggested text", "median % kept"]
    assert (round(other_row["value"], 3), other_row["n"]) == (87.965, 2)
    assert round(rows["Suggested text", "median % of the text"]["value"], 3) == 91.835
    assert "1 summary was submitted as it had been suggested." in table["notes"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"assistance": "suggested", "suggestions_from": ""}, "suggestions_from"),
        ({"assistance": "randomised-3", "suggestions_from": ""}, "suggestions_from"),
        ({"suggestions_from": "run:nothing"}, "suggestions_from"),
        ({"suggestions_from": "run:00000000-0000-4000-8000-000000000000"}, "suggestions_from"),
        ({"suggestions_from": "file:x"}, "suggestions_from"),
    ],
)
def test_a_setting_without_a_run_is_refused(project, changes, field):
    with pytest.raises(BadInput) as refused:
        projects.change_settings(project=project, by=None, **changes)
    assert refused.value.field == field
    assert (project.assistance, project.suggestions_from) == ("minimal", "")


def test_only_finished_runs_of_the_project_can_be_chosen(project):
    foreign = make_run(make_project("other", documents=1, frozen=True), "elsewhere")
    unfinished = make_run(project, "unfinished")
    Run.objects.filter(pk=unfinished.pk).update(state=RunState.RUNNING)
    for run in (foreign, unfinished):
        with pytest.raises(BadInput):
            suggest(project, run)


def test_a_new_project_has_no_run_to_suggest_from():
    with pytest.raises(BadInput) as refused:
        projects.create_project(slug="new", name="New", schema="macsum-doc", assistance="suggested")
    assert refused.value.field == "suggestions_from"


def test_a_kind_without_a_text_field_takes_no_suggestions(project):
    run = make_run(project, SYSTEM)
    project.kind = "aggregation"
    with pytest.raises(BadInput) as refused:
        suggest(project, run)
    assert refused.value.field == "assistance"


def test_three_arms_are_drawn_and_a_pilot_suggests_nothing(project):
    three = Project(assistance="randomised-3", export_salt="ab" * 32)
    drawn = [assistance_by_external_id(three, f"doc-{i}") for i in range(600)]
    assert {arm: 160 < drawn.count(arm) < 240 for arm in drawn} == dict.fromkeys(("minimal", "full", "suggested"), True)
    document = project.documents.get()
    pilot = Project(assistance="suggested", pilot_of=project)
    assert assistance_by_document_id(pilot, document.pk) == "minimal"


def test_the_settings_form_offers_finished_runs_and_keeps_the_choice(project):
    (admin,) = make_people(1, project, Role.ADMIN)
    run = make_run(project, SYSTEM)
    client = signed_in(admin)
    address = f"/p/{project.slug}/settings/"
    form = client.get(address).context["form"]
    name = f"run:{run.public_id}"
    assert [value for value, _words in form.fields["suggestions_from"].choices] == ["", name]
    values = {key: form[key].value() for key in form.fields if form[key].value() is not None}
    answer = client.post(address, {**values, "assistance": "suggested", "suggestions_from": name})
    assert answer.status_code == 302
    project.refresh_from_db()
    assert (project.assistance, project.suggestions_from) == ("suggested", name)
    answer = client.post(address, {**values, "assistance": "suggested", "suggestions_from": ""})
    assert answer.status_code == 422 and "Choose a finished run" in answer.content.decode()
