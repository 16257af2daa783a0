"""A withdrawal takes what was asked, everywhere, keeps the counts, and is never silent."""

import hashlib
import json
from pathlib import Path

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.test import Client

from annotation.models import Annotation, Assignment, AuditEvent, Draft, Job, Role, Score, Slot, Withdrawal
from annotation.services.core.errors import Conflict
from annotation.services.exports import exporting
from annotation.services.people import members
from annotation.services.scores import score_jobs
from annotation.services.sources import import_types, importing
from annotation.services.staff import ledger, release_and_void
from annotation.services.staff.release_and_void import Period
from annotation.services.statistics import records
from annotation.services.tasks import drafts, questions, skip, submit
from annotation.services.withdrawal import withdraw as withdrawal
from annotation.services.withdrawal.withdraw import WithdrawalScope
from tests.api.world import work_off
from tests.people.conftest import signed_in
from tests.tasks.factories import make_people, payload

pytestmark = pytest.mark.django_db
MARK = "quillwort"


@pytest.fixture
def busy(staff):
    """annotator1 leaves the marker everywhere a person can write; annotator2 writes one summary."""
    for n in range(2):
        text = payload(summary=f"The {MARK} left.", title=f"{MARK} {n}")
        task = staff.claim(staff.one)
        submit.submit_task(assignment=task, payload=text, idempotency_key=f"k{n}")
    result = staff.claim(staff.one)
    skip.skip_task(assignment=result, reason="other", note=f"no {MARK}")
    outcome = staff.claim(staff.one)
    questions.ask_question(assignment=outcome, text=f"Is it a {MARK}?")
    drafted = staff.claim(staff.one)
    drafts.save_draft(assignment=drafted, payload={"summary": f"A {MARK}."}, revision=0)
    staff.write(staff.two, 1)
    return staff


def withdraw(staff, **parts) -> Withdrawal:
    fields = {"project": staff.project, "person": staff.one, "asked": WithdrawalScope(**parts), "by": staff.admin}
    return withdrawal.withdraw_person(expect=withdrawal.preview_withdrawal(**fields).total, **fields)


def rows_with(word: str) -> list[str]:
    return [
        model.__name__ for model in apps.get_models() for row in model._default_manager.values() if word in str(row)
    ]


def lines(staff, **options) -> list[dict]:
    text = b"".join(exporting.export_lines(project=staff.project, options=exporting.ExportOptions(**options)))
    return [
        json.loads(line) for line in text.splitlines() if b'"task": "summary"' in line or b'"task":"summary"' in line
    ]


def test_every_text_is_gone_and_the_counts_are_kept(busy):
    assert set(rows_with(MARK)) >= {"Annotation", "Draft", "Question", "Assignment"}
    units = ledger.build_ledger(busy.project, Period())["", busy.one.pk].units
    items_before = Annotation.objects.count(), Draft.objects.count(), Assignment.objects.count()

    row = withdraw(busy, remove_texts=True)

    assert rows_with(MARK) == []
    assert (Annotation.objects.count(), Draft.objects.count(), Assignment.objects.count()) == items_before
    assert ledger.build_ledger(busy.project, Period())["", busy.one.pk].units == units == 2
    assert row.counts["summaries"] == 2 and row.counts["questions"] == 1 and row.counts["held"] == 2
    assert not busy.one.memberships.exists()
    assert set(busy.one.assignments.values_list("state", flat=True)) == {"submitted", "skipped", "released"}
    assert Annotation.objects.filter(assignment__annotator=busy.two).get().payload["summary"]


def test_exports_say_that_the_text_is_gone_or_leave_the_lines_out(busy):
    withdraw(busy, remove_texts=True)
    results = [line for line in lines(busy) if not line["skipped"]]
    assert sorted((line["state"], bool(line["text"])) for line in results) == [
        ("submitted", True),
        ("withdrawn", False),
        ("withdrawn", False),
    ]
    assert MARK.encode() not in b"".join(exporting.export_lines(project=busy.project))
    assert len({line["annotator"] for line in results}) == 2, "the name was not asked for"

    withdraw(busy, leave_out=True)

    assert [line["state"] for line in lines(busy)] == ["submitted"]


def test_what_is_left_out_is_counted_in_the_manifest(busy, tmp_path):
    withdraw(busy, leave_out=True)
    manifest = exporting.export_to(project=busy.project, path=tmp_path / "a.jsonl")
    assert manifest["left_out"] == {"withdrawn": 3}  # two summaries and a skip


def test_a_masked_name_is_nowhere(busy):
    client, mail = signed_in(busy.one), "one@example.org"
    User.objects.filter(pk=busy.one.pk).update(email=mail, username="Pimpernel")
    busy.one.refresh_from_db()
    withdraw(busy, mask_name=True)

    assert rows_with("Pimpernel") == rows_with(mail) == []
    assert client.get("/").status_code == 302 and not Client().login(username="Pimpernel", password="x")
    names = {line["annotator"] for line in lines(busy)}
    assert "withdrawn" in names and len(names) == 2
    assert Annotation.objects.filter(payload__summary__icontains=MARK).count() == 2, "the texts were not asked for"


def test_an_account_that_works_elsewhere_keeps_its_name(busy, site):
    from tests.tasks.factories import make_project

    other = make_project("other", documents=1)
    members.add_member(project=other, username=busy.one.username, role="annotator", by=None)
    with pytest.raises(Conflict, match="other projects"):
        withdraw(busy, mask_name=True)
    assert not Withdrawal.objects.exists() and busy.one.memberships.count() == 2


def test_a_release_says_that_it_cannot_be_built_again(busy, tmp_path, client):
    options = exporting.ExportOptions(release="v1")
    first = exporting.export_to(project=busy.project, path=tmp_path / "a.jsonl", options=options)
    assert first["release"]["withdrawals"] == []

    row = withdraw(busy, remove_texts=True)

    assert row.releases == {"v1": 3}
    again = exporting.export_to(project=busy.project, path=tmp_path / "b.jsonl", options=options)
    release = again["release"]
    assert not release["same_as_first"] and release["withdrawals"][0]["texts_removed"]
    answer = busy.client.get("/api/v1/projects/news/export/?release=v1")
    assert answer.headers["X-Release-Withdrawals"] == "1"
    assert "no longer reproducible" in busy.client.get(busy.url("export/")).content.decode()
    assert busy.client.get("/api/v1/projects/news/releases/").json()["results"][0]["withdrawals"]


def test_stored_export_files_are_deleted(busy, django_capture_on_commit_callbacks):
    job = exporting.start_export(project=busy.project, options=exporting.ExportOptions(), by=busy.admin)
    work_off(job)
    assert default_storage.exists(job.result["file"])
    with django_capture_on_commit_callbacks(execute=True):
        withdraw(busy, remove_texts=True)
    assert not default_storage.exists(job.result["file"])
    assert Job.objects.get(pk=job.pk).result["withdrawn"]
    assert busy.client.get(f"/jobs/{job.public_id}/download/").status_code == 404


def test_half_written_exports_are_deleted(busy, settings, django_capture_on_commit_callbacks):
    job = exporting.start_export(project=busy.project, options=exporting.ExportOptions(), by=busy.admin)
    work = Path(settings.DATA_DIR) / "exports"
    for folder in (f"{job.public_id}-0a1b2c3d", "5f0c7a94-0000-4000-8000-000000000000-0a1b2c3d"):
        (work / folder).mkdir(parents=True)
        (work / folder / ".news.jsonl.part").write_text("texts")
    with django_capture_on_commit_callbacks(execute=True):
        withdraw(busy, remove_texts=True)
    assert [path.name for path in work.iterdir()] == ["5f0c7a94-0000-4000-8000-000000000000-0a1b2c3d"]


def test_an_old_export_does_not_bring_the_texts_back(busy, tmp_path):
    exporting.export_to(project=busy.project, path=tmp_path / "old.jsonl")
    withdraw(busy, remove_texts=True, mask_name=True)
    with pytest.raises(import_types.ImportRefused):
        importing.import_file(project=busy.project, path=tmp_path / "old.jsonl", file_name="old.jsonl")
    assert rows_with(MARK) == []


def test_empty_texts_are_neither_measured_nor_counted_in_statistics(busy):
    from annotation.jobs import NoProgress

    withdraw(busy, remove_texts=True)
    score_jobs.score_project(project=busy.project)
    gone = Annotation.objects.filter(assignment__annotator=busy.one).values_list("pk", flat=True)
    assert not Score.objects.filter(target_id__in=list(gone)).exists()
    assert len(records.load_records(busy.project, NoProgress())[0]) == 1


def test_the_places_can_be_offered_to_others(busy):
    withdraw(busy, leave_out=True, reopen=True)
    assert Slot.objects.filter(project=busy.project, state="filled").count() == 1
    assert set(busy.one.assignments.values_list("state", flat=True)) == {"void", "skipped", "released"}


def test_it_is_shown_first_listed_after_and_kept_in_the_log(busy):
    form = {"person": "annotator1", "remove_texts": "on", "do": "preview"}
    page = busy.client.post(busy.url("members/withdrawals/"), form).content.decode()
    expect = page.split('name="expect" value="')[1].split('"')[0]
    about = page.split('name="about" value="')[1].split('"')[0]
    assert "summaries with their titles and marks" in page and rows_with(MARK)

    refused = busy.client.post(busy.url("members/withdrawals/"), {**form, "do": "withdraw"})
    assert refused.status_code == 422 and rows_with(MARK)
    sent = {**form, "do": "withdraw", "expect": expect, "about": about}
    page = busy.client.post(busy.url("members/withdrawals/"), sent, follow=True).content.decode()

    assert "texts removed" in page and rows_with(MARK) == []
    event = AuditEvent.objects.get(verb="person.withdraw")
    assert event.detail["parts"] == ["remove_texts"] and MARK not in str(event.detail)


def test_what_was_voided_before_does_not_come_back_by_an_undo(busy):
    action = release_and_void.run_action(project=busy.project, person=busy.one, kind="void", by=busy.admin, expect=2)
    withdraw(busy, remove_texts=True)
    with pytest.raises(Conflict):
        release_and_void.undo_action(action=action, by=busy.admin)
    with pytest.raises(Conflict):
        members.add_member(project=busy.project, username="annotator1", role="annotator", by=busy.admin)


def test_a_failure_leaves_everything_as_it_was(busy, monkeypatch):
    fields = {
        "project": busy.project,
        "person": busy.one,
        "asked": WithdrawalScope(True, True, True, True),
        "by": busy.admin,
    }
    total = withdrawal.preview_withdrawal(**fields).total
    items_before = sorted(rows_with(MARK))

    def broken(**_given):
        raise RuntimeError("no audit")

    monkeypatch.setattr("annotation.services.core.audit.record_event", broken)
    with pytest.raises(RuntimeError):
        withdrawal.withdraw_person(expect=total, **fields)
    assert sorted(rows_with(MARK)) == items_before and busy.one.memberships.exists()


def test_rounds_lose_the_copies_and_a_raters_own_words(busy):
    """What other rooms hold goes too: they register it."""
    from tests.rounds.factories import one_item

    (rater,) = make_people(1, busy.project, Role.RATER)
    Annotation.objects.filter(assignment__annotator=busy.one).update(payload=payload(summary=f"Gold {MARK}."))
    view = one_item(busy.project, rater)
    view.round.texts.update(text=f"Gold {MARK}.")
    view.round.texts.filter(pk=view.item.first_id).update(
        content_hash=hashlib.sha256(f"Gold {MARK}.".encode()).hexdigest()
    )
    view.round.texts.exclude(pk=view.item.first_id).update(text="another")
    type(view).objects.filter(pk=view.pk).update(note=f"I know this {MARK}.")
    judged(view.item)

    row = withdraw(busy, remove_texts=True)
    assert row.counts["round_copies"] == row.counts["judge_words"] == 1
    fields = {"project": busy.project, "person": rater, "asked": WithdrawalScope(remove_texts=True), "by": busy.admin}
    withdrawal.withdraw_person(expect=withdrawal.preview_withdrawal(**fields).total, **fields)

    assert rows_with(MARK) == []


def judged(item) -> None:
    """A language model that quotes the text instead of answering."""
    from evaluation.models import MachineJudgement
    from modelbridge.models import System, SystemRevision

    system = System.objects.create(project=item.round.project, key="judge", name="judge")
    revision = SystemRevision.objects.create(system=system, number=1, kind="fake", role="judge", config_hash="j")
    MachineJudgement.objects.create(
        round=item.round, item=item, revision=revision, question="topic", answer="invalid", said=f"It says {MARK}."
    )


def test_reasons_of_pilot_decisions_go_for_who_gave_and_who_got_them(busy):
    from tests.pilot import factories as pilots

    project, (first, second), admin = pilots.with_pilot("tried", start=50)
    for person in (first, second):
        pilots.write_pilot(project, person)
    pilots.decide_candidate(project, first, admin, reason=f"Writes about a {MARK}.")
    pilots.decide_candidate(project, second, admin, reason="Reads well.")

    fields = {"project": project, "person": first, "asked": WithdrawalScope(remove_texts=True), "by": admin}
    row = withdrawal.withdraw_person(expect=withdrawal.preview_withdrawal(**fields).total, **fields)

    assert row.counts["pilot_reasons"] == 1
    assert "PilotDecision" not in rows_with(MARK) and "PilotCandidate" not in rows_with(MARK)
    assert pilots.find_candidate(project, first).verdict == "qualified"
    assert pilots.find_candidate(project, second).reason == "Reads well."
