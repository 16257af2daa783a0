"""Notes on tasks: who writes, reads, releases and hides them, and who never sees one."""

import pytest

from annotation.models import Assignment, AuditEvent, NoteState, Project, Role, Slot, TaskNote
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.tasks import notes, skip, submit
from annotation.services.tasks.claim import claim_next
from annotation.services.withdrawal.texts import TEXT_HOLDERS
from tests.gate.conftest import sign
from tests.tasks.factories import make_people, make_project, make_tokens, payload

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(db):
    return make_project("news", documents=1, groups=1, size=1, frozen=True, claim_unit="sample")


@pytest.fixture
def task(project, writer):
    return claim_next(project=project, annotator=writer).assignment


def skip_with_note(task, text="The table is cut off."):
    skip.skip_task(assignment=task, reason="damaged", note=text)
    return TaskNote.objects.get(assignment=task)


def let_next_see(project):
    Project.objects.filter(pk=project.pk).update(notes_to_next="released")
    project.refresh_from_db()


def claim_as_next(project):
    (person,) = make_people(1, project, start=90)
    return claim_next(project=project, annotator=person).assignment


def test_a_note_is_written_while_the_task_is_open_and_after_it_is_submitted(task):
    notes.write_note(assignment=task, text="Two towns share\r\na name.")
    submit.submit_task(assignment=task, payload=payload(), idempotency_key="k")
    task.refresh_from_db()
    notes.write_note(assignment=task, text="The title is from another text.")
    assert [note.words for note in notes.list_own_notes(task)] == [
        "Two towns share\na name.",
        "The title is from another text.",
    ]
    assert AuditEvent.objects.filter(verb="note.write").count() == 2
    assert "towns" not in str(list(AuditEvent.objects.values_list("detail", "target")))


def test_the_same_note_twice_is_one_and_blank_or_overlong_ones_are_none(task):
    assert notes.write_note(assignment=task, text="?") == notes.write_note(assignment=task, text="?")
    for text in ("", " \u200b\n", "a\0b", "x" * 2001):
        with pytest.raises(BadInput) as refused:
            notes.write_note(assignment=task, text=text)
        assert refused.value.field == "text"
    assert TaskNote.objects.count() == 1


def test_there_is_an_end_to_notes_on_one_task(task):
    for n in range(notes.MAX_NOTES):
        notes.write_note(assignment=task, text=f"Note {n}")
    with pytest.raises(Conflict) as refused:
        notes.write_note(assignment=task, text="One more")
    assert refused.value.code == "notes" and TaskNote.objects.count() == notes.MAX_NOTES


def test_the_words_of_a_skip_are_a_note_and_a_skip_without_words_is_none(project, task):
    note = skip_with_note(task)
    assert (note.words, note.with_skip, note.state) == ("The table is cut off.", True, "new")
    skip.skip_task(assignment=task, reason="damaged", note="Sent twice.")
    assert TaskNote.objects.count() == 1
    skip.skip_task(assignment=claim_as_next(project), reason="other", note=" ")
    assert TaskNote.objects.count() == 1


@pytest.mark.db_engine
def test_the_next_annotator_sees_released_notes_only_where_the_project_says_so(project, task, reviewer):
    note = skip_with_note(task)
    following = claim_as_next(project)
    assert following.sample_id == task.sample_id

    def seen():
        return [note.words for note in notes.list_notes_for_next(following)]

    notes.change_note_state(note=note, by=reviewer, state="released")
    assert seen() == []
    let_next_see(project)
    following = Assignment.objects.select_related("project").get(pk=following.pk)
    assert seen() == ["The table is cut off."]
    assert notes.list_notes_for_next(Assignment.objects.select_related("project").get(pk=task.pk)) == []
    for state in ("read", "hidden"):
        notes.change_note_state(note=note, by=reviewer, state=state)
        assert seen() == []


def test_writers_of_a_sample_with_several_texts_never_see_a_note(project, task, reviewer):
    notes.change_note_state(note=skip_with_note(task), by=reviewer, state="released")
    let_next_see(project)
    following = claim_as_next(project)
    assert len(notes.list_notes_for_next(following)) == 1
    slot = Slot.objects.get(sample=task.sample_id)
    slot.pk, slot.number = None, 2
    slot.save()
    assert notes.list_notes_for_next(following) == []
    Slot.objects.filter(number=2).delete()
    following.project.overlap = 2
    assert notes.list_notes_for_next(following) == []


def test_candidates_of_a_pilot_never_see_a_note(project, task, reviewer):
    notes.change_note_state(note=skip_with_note(task), by=reviewer, state="released")
    let_next_see(project)
    following = claim_as_next(project)
    assert len(notes.list_notes_for_next(following)) == 1
    following.project.pilot_of = make_project("front", documents=1)
    assert notes.list_notes_for_next(following) == []


def test_a_state_is_one_that_staff_can_choose(task, reviewer):
    note = notes.write_note(assignment=task, text="?")
    for state in ("new", "", "gone"):
        with pytest.raises(BadInput) as refused:
            notes.change_note_state(note=note, by=reviewer, state=state)
        assert refused.value.field == "state"
    changed = notes.change_note_state(note=note, by=reviewer, state="hidden")
    assert (changed.state, changed.decided_by) == (NoteState.HIDDEN, reviewer)
    notes.change_note_state(note=note, by=reviewer, state="hidden")
    assert AuditEvent.objects.filter(verb="note.change").count() == 1


def test_a_withdrawal_deletes_the_notes_of_the_person_alone(project, task, writer):
    skip_with_note(task)
    note = notes.write_note(assignment=claim_as_next(project), text="Mine stays.")
    holder = TEXT_HOLDERS["task_notes"]
    projects = Project.objects.filter(pk=project.pk)
    assert holder.count(projects, writer.pk) == 1
    holder.empty(projects, writer.pk)
    assert list(TaskNote.objects.all()) == [note] and holder.count(projects, writer.pk) == 0


# Pages and calls


def test_from_the_task_page_to_the_list_of_staff(client, task, writer, reviewer):
    client.force_login(writer)
    page = client.get(f"/tasks/{task.public_id}/").content.decode()
    assert 'data-open-dialog="note"' in page and f"/api/v1/assignments/{task.public_id}/notes/" in page
    address = f"/tasks/{task.public_id}/notes/"
    assert client.post(address, {"text": " "}).status_code == 422
    assert client.post(address, {"text": "<b>Two towns</b>"}).url == address
    assert "&lt;b&gt;Two towns" in client.get(address).content.decode()
    assert client.get("/p/news/notes/").status_code == 404

    client.force_login(reviewer)
    page = client.get("/p/news/notes/?state=new").content.decode()
    assert "&lt;b&gt;Two towns" in page and "1 new note" in page and "Release note" not in page
    note = TaskNote.objects.get()
    answer = client.post(f"/p/news/notes/{note.public_id}/?state=new", {"state": "hidden"})
    assert answer.url == "/p/news/notes/?state=new"
    page = client.get(answer.url).content.decode()
    assert "Note hidden." in page and "No notes here" in page and "1 new note" not in page
    assert "Two towns" in client.get("/p/news/notes/?state=hidden").content.decode()
    assert client.post(f"/p/news/notes/{note.public_id}/", {"state": "new"}).url == "/p/news/notes/"
    assert TaskNote.objects.get().state == "hidden"


def test_the_next_annotators_page_shows_the_released_note_without_its_author(client, project, task, writer, researcher):
    note = skip_with_note(task)
    let_next_see(project)
    client.force_login(researcher)
    assert "Release note" in client.get("/p/news/notes/").content.decode()
    client.post(f"/p/news/notes/{note.public_id}/", {"state": "released"})
    following = claim_as_next(project)
    client.force_login(following.annotator)
    for address in (f"/tasks/{following.public_id}/", f"/tasks/{following.public_id}/notes/"):
        page = client.get(address).content.decode()
        assert "The table is cut off." in page and writer.username not in page
    sample_page = f"/p/news/samples/{task.sample.public_id}/outputs/"
    assert client.get(sample_page).status_code == 404
    client.force_login(researcher)
    assert "The table is cut off." in client.get(sample_page).content.decode()


def test_reviewers_see_pseudonyms_and_researchers_names(client, task, writer, reviewer, researcher):
    notes.write_note(assignment=task, text="?")
    client.force_login(reviewer)
    assert writer.username not in client.get("/p/news/notes/").content.decode()
    client.force_login(researcher)
    assert writer.username in client.get("/p/news/notes/").content.decode()


def test_the_page_of_many_notes_costs_as_many_queries_as_of_one(client, task, reviewer, django_assert_max_num_queries):
    for n in range(notes.MAX_NOTES):
        notes.write_note(assignment=task, text=str(n))
    client.force_login(reviewer)
    client.get("/p/news/notes/")
    with django_assert_max_num_queries(9):
        client.get("/p/news/notes/")


def test_the_api_writes_lists_and_changes_notes(client, project, task, writer, reviewer):
    own_value, staff = ({"Authorization": f"Token {token}"} for token in make_tokens([writer, reviewer]))
    address = f"/api/v1/assignments/{task.public_id}/notes/"
    written = client.post(address, {"text": "Two towns."}, content_type="application/json", headers=own_value)
    assert written.status_code == 201 and written.json()["text"] == "Two towns."
    data = client.get(address, headers=own_value).json()
    assert [note["text"] for note in data["own"]] == ["Two towns."] and data["earlier"] == []
    assert client.get(address, headers=staff).status_code == 404
    rows = client.get("/api/v1/projects/news/notes/?state=new", headers=staff).json()["results"]
    assert [row["text"] for row in rows] == ["Two towns."] and writer.username not in str(rows)
    change = f"/api/v1/notes/{rows[0]['id']}/state/"
    body = {"state": "released"}
    assert client.post(change, body, content_type="application/json", headers=own_value).status_code == 404
    changed = client.post(change, body, content_type="application/json", headers=staff).json()
    assert (changed["state"], changed["sample"]) == ("released", str(task.sample.public_id))
    assert client.get("/api/v1/projects/news/notes/?state=new", headers=staff).json()["results"] == []


def test_raters_are_shown_no_notes(client, project, task):
    notes.write_note(assignment=task, text="Two towns.")
    (rater,) = make_people(1, project, Role.RATER)
    sign(project, rater)
    client.force_login(rater)
    for address in ("/p/news/notes/", f"/tasks/{task.public_id}/notes/"):
        assert client.get(address).status_code == 404
