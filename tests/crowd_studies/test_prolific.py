"""Studies on Prolific against a stub of its documented API: created, reviewed, and paid exactly once."""

import json
import re

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from annotation.models import (
    Annotation,
    AuditEvent,
    BonusBatch,
    BonusPayment,
    BonusState,
    CrowdLink,
    CrowdStudy,
    CrowdWorker,
    Job,
    JobState,
)
from annotation.services.crowd_studies import bonuses, prolific
from annotation.services.people import crowd_links
from annotation.services.people.crowd_outcomes import note_completed, worker_progress
from annotation.services.tasks import claim, submit
from tests.api.world import work_off
from tests.client.stub import Reply
from tests.crowd_studies.platform import TOKEN, PlatformStub, secrets_in
from tests.staff.conftest import make_staff
from tests.tasks.factories import pass_gate, payload

pytestmark = pytest.mark.django_db
PID = "5f1d2a77c0ffee0000000001"
REASON = "The summaries repeat the first sentence of each source and do not follow the request, as the guideline asks. "


@pytest.fixture
def platform(settings):
    stub = PlatformStub()
    settings.EPITOME_PROLIFIC_URL, settings.EPITOME_PROLIFIC_TOKEN = stub.url, TOKEN
    yield stub
    stub.server.shutdown()
    stub.server.server_close()


@pytest.fixture
def staff():
    other_staff = make_staff()
    other_staff.project.pay_per_hour, other_staff.project.pay_currency = 12.0, "GBP"
    other_staff.project.save()
    return other_staff


@pytest.fixture
def link(staff) -> CrowdLink:
    settings = crowd_links.LinkSettings(name="November", tasks=1, max_uses=5)
    return crowd_links.make_link(project=staff.project, by=staff.admin, link_settings=settings)[0]


def work_off_jobs() -> list[Job]:
    """Do the jobs of the platform that wait."""
    jobs = list(Job.objects.filter(kind__startswith="prolific", state=JobState.QUEUED).order_by("pk"))
    for job in jobs:
        work_off(job)
    return jobs


def post(staff, path: str, **values):
    answer = staff.client.post(staff.url(path), values)
    work_off_jobs()
    return answer


def create(staff, link, **values) -> CrowdStudy:
    form = {"link": str(link.public_id), "name": "Write summaries", "description": "Read and write.", "minutes": 20}
    form |= {"places": 3, "currency": "GBP", "devices": ["desktop"], **values}
    answer = post(staff, "members/studies/", **form)
    assert answer.status_code == 302, re.findall(r"errorlist.*?</ul>", answer.content.decode(), re.DOTALL)
    return CrowdStudy.objects.get()


def act(staff, study, do: str, **values) -> str:
    """Press a button of the study's page; the page afterwards."""
    answer = post(staff, f"members/studies/{study.public_id}/", do=do, **values)
    if answer.status_code == 422:
        return answer.content.decode()
    return show(staff, study)


def show(staff, study) -> str:
    return staff.client.get(staff.url(f"members/studies/{study.public_id}/")).content.decode()


def take_part(staff, platform, study, pid: str = PID, minutes: float = 30.0) -> str:
    """A participant opens the study's address, does the task, and enters the code; the submission."""
    address = platform.studies[study.platform_id]["external_study_url"].replace("{{%PROLIFIC_PID%}}", pid)
    address = address.replace("{{%STUDY_ID%}}", study.platform_id).replace("{{%SESSION_ID%}}", "x1")
    assert Client().post(address.removeprefix("http://testserver")).status_code == 302
    worker = CrowdWorker.objects.get(external_id=pid)
    pass_gate(staff.project, worker.user)
    task = claim.claim_next(project=staff.project, annotator=worker.user).assignment
    submit.submit_task(assignment=task, payload=payload(), idempotency_key=pid)
    Annotation.objects.filter(assignment=task).update(timings={"active_seconds": minutes * 60})
    note_completed(worker_progress(staff.project, worker.user))
    return platform.add_submission(study.platform_id, pid, study.link.code)


def test_a_study_is_drafted_published_reviewed_and_paid(staff, link, platform):
    study = create(staff, link)
    draft = platform.studies[study.platform_id]
    assert (draft["reward"], draft["estimated_completion_time"], draft["total_available_places"]) == (400, 20, 3)
    assert draft["prolific_id_option"] == "url_parameters" and draft["device_compatibility"] == ["desktop"]
    assert [row["code"] for row in draft["completion_codes"]] == [
        link.code,
        link.code_screened_out,
        link.code_no_work,
    ]
    assert "GBP 4.00 for 20 minutes" in act(staff, study, "publish")
    assert platform.studies[study.platform_id]["status"] == "ACTIVE"

    result = take_part(staff, platform, study)
    stranger = platform.add_submission(study.platform_id, "5f1d2a77c0ffee0000000009", study.link.code)
    other = take_part(staff, platform, study, pid="5f1d2a77c0ffee0000000002")
    platform.submissions[other]["study_code"] = "GUESSED"
    page = act(staff, study, "read")
    assert "Approve 1 submission that passes the rules" in page
    assert "Another code was entered than the completion code." in page
    assert "This participant never opened the link." in page
    act(staff, study, "approve")
    assert platform.submissions[result]["status"] == "APPROVED"
    assert {platform.submissions[name]["status"] for name in (other, stranger)} == {"AWAITING REVIEW"}
    assert PID not in str(list(study.submissions.values())), "a withdrawal has nothing to mask here"

    page = show(staff, study)
    assert "Pay GBP 2.00" in page and "GBP 6.00" in page  # 30 minutes at 12 an hour, less the reward of 4
    page = act(staff, study, "pay", expect=200)
    assert platform.batches == {"bulk1": f"{result},2.00"} and platform.paid == {result: [200]}
    assert "Sent, not confirmed yet" in page
    page = act(staff, study, "go_on", batch=BonusBatch.objects.get().public_id)
    assert BonusBatch.objects.get().state == BonusState.PAID and "1 listed by Prolific" in page
    assert "Nobody has earned more than was paid." in page
    verbs = set(AuditEvent.objects.filter(target=f"crowd_study:{study.public_id}").values_list("verb", flat=True))
    sent = {"bonus.prepare", "bonus.send"}
    assert verbs == {"crowd_study.create", "crowd_study.publish", "submission.approve", *sent}


@pytest.fixture
def approved(staff, link, platform) -> CrowdStudy:
    """A published study with one approved submission that has earned a bonus of 2.00."""
    study = create(staff, link)
    act(staff, study, "publish")
    take_part(staff, platform, study)
    act(staff, study, "read")
    act(staff, study, "approve")
    return study


def test_a_connection_cut_while_paying_leads_to_one_payment(staff, platform, approved):
    platform.cuts = ["/pay"]
    page = act(staff, approved, "pay", expect=200)
    batch = BonusBatch.objects.get()
    assert batch.state == BonusState.UNCERTAIN and "Unclear, the answer was lost" in page
    assert platform.paid["sub1"] == [200]
    for do in ("pay", "again", "cancel"):  # nothing on the page sends it a second time
        act(staff, approved, do, expect=200, batch=batch.public_id)
    page = act(staff, approved, "go_on", batch=batch.public_id)
    batch.refresh_from_db()
    assert batch.state == BonusState.PAID and "1 listed by Prolific" in page
    assert platform.paid["sub1"] == [200] and platform.count_calls("/pay/") == 1


def test_a_worker_that_dies_while_paying_does_not_pay_again(staff, platform, approved):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prolific, "_read_answer", lambda *_arguments: (_ for _ in ()).throw(SystemExit))
        patch.setattr(bonuses, "_set_up", lambda batch: None)
        batch = bonuses.prepare_bonuses(study=approved, expect=200, by=staff.admin)
        BonusBatch.objects.update(state=BonusState.SET_UP, platform_id="bulk1")
        platform.batches["bulk1"] = "sub1,2.00"
        batch.refresh_from_db()
        with pytest.raises(SystemExit):
            bonuses.send_batch(batch, None)
    assert platform.paid["sub1"] == [200]
    work_off_jobs()
    batch.refresh_from_db()
    assert batch.state == BonusState.UNCERTAIN and platform.count_calls("/pay/") == 1


def test_an_unclear_payment_is_sent_again_only_when_the_platform_shows_that_it_was_not_paid(staff, platform, approved):
    platform.refusals = {"/pay": Reply(502, {"error": "bad gateway"})}
    act(staff, approved, "pay", expect=200)
    batch = BonusBatch.objects.get()
    assert batch.state == BonusState.UNCERTAIN and platform.paid["sub1"] == []
    page = act(staff, approved, "go_on", batch=batch.public_id)
    assert "one hour after the call" in page and "Not paid: send again" not in page
    act(staff, approved, "again", batch=batch.public_id)
    assert platform.count_calls("/pay/") == 1

    BonusBatch.objects.update(sent_at=timezone.now() - 2 * bonuses.SETTLED_AFTER)
    assert "Not paid: send again" in act(staff, approved, "go_on", batch=batch.public_id)
    platform.refusals = {}
    act(staff, approved, "again", batch=batch.public_id)
    batch.refresh_from_db()
    assert batch.state == BonusState.SENT and platform.paid["sub1"] == [200]


def test_a_refused_payment_says_why_and_can_be_proposed_again(staff, platform, approved):
    error = {"error": {"title": "No money", "detail": {"balance": ["is too low"]}}}
    platform.refusals = {"/pay": Reply(400, error)}
    page = act(staff, approved, "pay", expect=200)
    assert "Refused, nothing was paid" in page and "balance: is too low" in page
    assert "Pay GBP 2.00" in page and not BonusPayment.objects.exists()


def test_what_was_shown_is_what_is_paid(staff, platform, approved):
    page = staff.client.post(
        staff.url(f"members/studies/{approved.public_id}/"), {"do": "pay", "expect": 199}, follow=True
    )
    assert "The bonuses have changed. Check them again." in page.content.decode()
    assert not BonusBatch.objects.exists() and platform.count_calls("bonus") == 0


@pytest.mark.db_engine
def test_the_database_keeps_one_bonus_for_a_submission_and_one_open_batch(staff, approved):
    submission = approved.submissions.get()
    batch = BonusBatch.objects.create(study=approved)
    BonusPayment.objects.create(batch=batch, submission=submission, amount=1, minutes=1)
    with pytest.raises(IntegrityError), transaction.atomic():
        BonusPayment.objects.create(batch=batch, submission=submission, amount=1, minutes=1)
    with pytest.raises(IntegrityError), transaction.atomic():
        BonusBatch.objects.create(study=approved)


def test_a_refused_approval_says_why(staff, link, platform):
    study = create(staff, link)
    take_part(staff, platform, study)
    act(staff, study, "read")
    platform.refusals = {"/transition": Reply(400, {"error": {"detail": "Submission was approved already."}})}
    page = act(staff, study, "approve")
    assert "Prolific refused (400): Submission was approved already." in page
    assert not AuditEvent.objects.filter(verb="submission.approve").exists()


def test_a_rejection_needs_a_category_and_words_for_the_participant(staff, link, platform):
    study = create(staff, link)
    name = platform.add_submission(study.platform_id, PID, "WRONG")
    act(staff, study, "read")
    form = {"submission": name, "category": "LOW_EFFORT", "reason": "Too short."}
    assert "100 to 2000 characters" in act(staff, study, "reject", **form)
    assert "A rejection needs a category." in act(staff, study, "reject", **{**form, "category": ""})
    assert platform.submissions[name]["status"] == "AWAITING REVIEW"
    act(staff, study, "return", **form)
    assert platform.calls[-1].json == {"request_return_reasons": ["Too short."]}
    act(staff, study, "reject", **{**form, "reason": REASON})
    sent = [call.json for call in platform.calls if call.path.endswith(f"{name}/transition/")]
    assert sent == [{"action": "REJECT", "message": REASON.strip(), "rejection_category": "LOW_EFFORT"}]
    assert study.submissions.get().status == "REJECTED"


def test_a_draft_whose_answer_was_lost_is_found_again(staff, link, platform):
    platform.cuts = ["studies/"]
    study = create(staff, link)
    assert study.platform_id == "" and "The connection to Prolific broke off" in show(staff, study)
    act(staff, study, "create")
    study.refresh_from_db()
    assert study.platform_id == "study1" and len(platform.studies) == 1
    take_part(staff, platform, study)  # its address still opens


def test_an_address_that_was_copied_before_does_not_open_the_study(staff, platform):
    settings = crowd_links.LinkSettings(name="November", tasks=1, max_uses=5)
    row, plain = crowd_links.make_link(project=staff.project, by=staff.admin, link_settings=settings)
    create(staff, row)
    assert Client().get(f"/take-part/{plain}/?PROLIFIC_PID={PID}").status_code == 404


def test_the_token_is_nowhere(staff, link, platform, settings, caplog):
    study = create(staff, link)
    settings.EPITOME_PROLIFIC_TOKEN = TOKEN
    platform.refusals = {"transition": Reply(400, {"error": {"detail": f"Your token {TOKEN} may not do this."}})}
    page = act(staff, study, "publish")
    assert "Your token … may not do this." in page
    rows = [list(model.objects.values()) for model in (Job, CrowdStudy, AuditEvent)]
    assert not secrets_in(page, caplog.text, *json.loads(json.dumps(rows, default=str)))


def test_without_a_token_the_page_says_how_to_turn_it_on(staff, link, settings):
    settings.EPITOME_PROLIFIC_TOKEN = ""
    page = staff.client.get(staff.url("members/studies/")).content.decode()
    assert "EPITOME_PROLIFIC_TOKEN" in page and "Create draft" not in page
    with pytest.raises(prolific.NotSetUp):
        prolific.call_platform("GET", "users/me/")


def test_a_reward_needs_a_rate_in_the_currency(staff, link, platform):
    form = {"link": str(link.public_id), "name": "a", "description": "b", "minutes": 20, "places": 3}
    answer = post(staff, "members/studies/", **form, currency="USD", devices=["desktop"])
    assert answer.status_code == 422 and not CrowdStudy.objects.exists()
    assert "set the project&#x27;s pay per hour in USD" in answer.content.decode()
    assert create(staff, link, currency="USD", reward="3.50").reward == 350
