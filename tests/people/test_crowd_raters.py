"""Raters from a crowd: one open round by link, items per person, three codes, pay, and the consent page."""

import json
import threading
from contextlib import nullcontext
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

from annotation.models import ConsentAgreement, ConsentVersion, CrowdLink, CrowdWorker, Role
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.people import consent, crowd_links, crowd_outcomes, members
from annotation.transactions import write_transaction
from evaluation.models import ItemAssignment, RatingSlot, Round, RoundRater
from evaluation.services.monitoring import round_control
from evaluation.services.rating import answers as rating_answers
from evaluation.services.rating import item_claims
from evaluation.services.reports import report_jobs
from evaluation.services.rounds import design_check, round_access
from evaluation.services.rounds import instructions as round_instructions
from evaluation.services.rounds import launch as round_launch
from tests.rounds.factories import answers_for, claim, config, make_run, member, project_with_gold, rate_all, raters_of

pytestmark = pytest.mark.django_db
CROWD = '[crowd]\nitems_per_person = 2\n[pay]\namount = 0.60\ncurrency = "USD"\n'
CODES = {"code": "DONE-1", "code_screened_out": "OUT-1", "code_no_work": "NONE-1"}
ID = "5f1d2a77c0ffee000000000"


def open_crowd_round(*, n: int = 4, head: str = "", name: str = "Crowd", n_raters: int = 1, slug: str = "news"):
    """(project, round): launched without raters of the team."""
    project = project_with_gold(slug)
    text = config(name=name, n=n, n_raters=n_raters, head=head, more=CROWD)
    round_ = round_launch.make_draft(project=project, text=text, by=None)
    round_launch.launch_round(round_=round_, by=None)
    return project, round_


def make_link(project, round_, **options) -> tuple[CrowdLink, str]:
    admin = member(project, "admin", Role.ADMIN) if not project.memberships.exists() else project.memberships.get().user
    values = {"name": "study", "tasks": 2, "max_uses": 50, "role": "rater", "target": str(round_.public_id), **CODES}
    link_settings = crowd_links.LinkSettings(**{**values, **options})
    row, plain = crowd_links.make_link(project=project, by=admin, link_settings=link_settings)
    return row, f"/take-part/{plain}/"


def come(address: str, number: int = 1, **data) -> tuple[Client, object]:
    client = Client()
    return client, client.post(f"{address}?PROLIFIC_PID={ID}{number}", data)


def read_instructions(round_: Round, rater) -> None:
    result = round_instructions.instructions_hash(round_)
    round_instructions.confirm_instructions(round_=round_, rater=rater, shown_hash=result)


@pytest.fixture
def study(db):
    project, round_ = open_crowd_round()
    row, address = make_link(project, round_)
    return project, round_, row, address


def test_a_link_leads_into_its_round_and_pay_is_told_first(study):
    project, round_, _row, address = study
    page = Client().get(f"{address}?PROLIFIC_PID={ID}1").content.decode()
    assert "You rate 2 items" in page and "USD 0.60 per item" in page
    german = Client(headers={"accept-language": "de"}).get(f"{address}?PROLIFIC_PID={ID}1").content.decode()
    assert "USD 0.60 pro Item (etwa USD" in german and "per item" not in german
    client, answer = come(address)
    worker = CrowdWorker.objects.get()
    assert answer.headers["Location"] == f"/p/{project.slug}/rating/"
    assert list(worker.user.memberships.values_list("role", flat=True)) == ["rater"]
    assert RoundRater.objects.get().max_items == 2
    assert round_.title in client.get(f"/p/{project.slug}/rating/").content.decode()
    assert come(address)[1].status_code == 302 and CrowdWorker.objects.count() == RoundRater.objects.count() == 1


def test_nobody_rates_more_items_than_told_and_the_code_follows(study):
    project, round_, _row, address = study
    client, _answer = come(address)
    user = CrowdWorker.objects.get().user
    read_instructions(round_, user)
    assert round_access.count_open_rounds(user, [project.pk]) == {project.pk: 1}
    assert len(rate_all(round_, user)) == 2
    assert round_access.count_open_rounds(user, [project.pk]) == {}, "nothing more waits for this person"
    assert item_claims.claim_next(round_=round_, rater=user).reason == "quota"
    home = client.get(f"/p/{project.slug}/rating/?said=quota").content.decode()
    assert "Get the code" in home and "DONE-1" not in home
    answer = client.post(reverse("next-item", args=[round_.public_id]))
    assert answer.headers["Location"] == f"/p/{project.slug}/completion/"
    page = client.get(f"/p/{project.slug}/completion/").content.decode()
    assert "DONE-1" in page and "You have rated 2 items" in page and "OUT-1" not in page
    worker = CrowdWorker.objects.get()
    assert (worker.outcome, worker.completed_at is not None) == ("complete", True)


def test_an_item_finished_late_does_not_exceed_the_limit(study):
    _project, round_, _row, address = study
    come(address)
    user = CrowdWorker.objects.get().user
    read_instructions(round_, user)
    late = claim(round_, user)
    item_claims.release_item(assignment=late)
    ItemAssignment.objects.filter(pk=late.pk).update(state="expired")
    slot = late.slot
    slot.state = "taken"
    slot.save()  # by somebody else meanwhile
    rate_all(round_, user)
    slot.state = "open"
    slot.save()
    late.refresh_from_db()
    result = rating_answers.save_answers(assignment=late, payload=answers_for(late), finish=True)
    assert result.state == "surplus"
    assert ItemAssignment.objects.filter(rater=user, state="done").count() == 2


def test_when_others_have_rated_everything_there_is_a_code_for_that(study):
    project, round_, _row, address = study
    for number in (1, 2):
        come(address, number)
    for worker in CrowdWorker.objects.all():
        read_instructions(round_, worker.user)
        rate_all(round_, worker.user)
    client, _answer = come(address, 3)
    read_instructions(round_, CrowdWorker.objects.latest("pk").user)
    client.post(reverse("next-item", args=[round_.public_id]))
    page = client.get(f"/p/{project.slug}/completion/").content.decode()
    assert "NONE-1" in page and "No more work" in page and "DONE-1" not in page


def test_who_fails_the_examples_is_screened_out(db):
    project, round_ = open_crowd_round(head="qualification = 1.0")
    _row, address = make_link(project, round_)
    client, _answer = come(address)
    read_instructions(round_, CrowdWorker.objects.get().user)
    page = reverse("round-qualification", args=[round_.public_id])
    wrong = {
        f"{number}-{key}": "no" if answer == "yes" else "yes"
        for number, example in enumerate(round_instructions.qualifying_examples(round_))
        for key, answer in example.answers.items()
    }
    statuses = [client.post(page, wrong).status_code for _try in range(3)]
    assert statuses == [200, 200, 302]
    text = client.get(f"/p/{project.slug}/completion/").content.decode()
    assert "OUT-1" in text and "DONE-1" not in text
    assert CrowdWorker.objects.get().outcome == "screened_out"
    assert "Get the code" in client.get(page).content.decode()


@pytest.mark.parametrize(("action", "words"), [("pause", "The study is paused"), ("close", "The study has ended")])
def test_a_round_that_is_not_open_lets_nobody_new_in(study, action, words):
    _project, round_, _row, address = study
    come(address, 1)
    round_control.apply_action(round_=round_, action=action, by=None)
    _client, answer = come(address, 2)
    assert answer.status_code == 410 and words in answer.content.decode()
    assert come(address, 1)[1].status_code == 302 and RoundRater.objects.count() == 1


def test_a_link_needs_an_open_round_of_its_project(study):
    project, round_, _row, _address = study
    other_project, other = open_crowd_round(slug="other")
    for target in ("", "nonsense", str(other.public_id)):
        with pytest.raises(BadInput):
            make_link(project, round_, target=target)
    assert other_project.crowd_links.count() == 0 and project.crowd_links.count() == 1


def test_a_person_is_in_one_round_and_keeps_one_role(study):
    project, _round, _row, address = study
    second = round_launch.make_draft(project=project, text=config(name="Second", n=2, n_raters=1, more=CROWD), by=None)
    round_launch.launch_round(round_=second, by=None)
    _link, other_address = make_link(project, second)
    come(address)
    _client, refused = come(other_address)
    assert refused.status_code == 410 and "already take part in another study" in refused.content.decode()
    with pytest.raises(Conflict, match="keeps its role"):
        members.add_member(project=project, username=CrowdWorker.objects.get().user.username, role="reviewer", by=None)
    assert RoundRater.objects.count() == 1


def test_people_of_the_crowd_are_no_raters_of_the_next_round(study):
    project, _round, _row, address = study
    come(address)
    raters_of(project, 2)
    draft = round_launch.make_draft(project=project, text=config(name="Team"), by=None)
    result = round_launch.launch_round(round_=draft, by=None)
    assert [rater.username for rater in result.raters] == ["rater1", "rater2"]


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"code_no_work": "DONE-1"}, "code_no_work"),
        ({"pay_amount": Decimal("0")}, "pay_amount"),
        ({"pay_amount": Decimal("NaN"), "pay_currency": "USD"}, "pay_amount"),
        ({"pay_amount": Decimal("1.5")}, "pay_currency"),
        ({"pay_currency": "USD"}, "pay_amount"),
        ({"role": "admin"}, "role"),
        ({"tasks": 3}, "tasks"),
    ],
)
def test_what_cannot_be_a_link_is_refused_by_field(study, options, field):
    project, round_, _row, _address = study
    with pytest.raises(BadInput) as refused:
        make_link(project, round_, **options)
    assert refused.value.field == field and CrowdLink.objects.count() == 1


def test_the_check_counts_pay_hours_and_people(db):
    project = project_with_gold()
    result = design_check.check_design(project, design_check.parse_config(project, config(n=6, n_raters=2, more=CROWD)))
    data = result.as_dict()
    assert result.can_launch and data["raters"] == []
    assert data["pay"]["total"] == pytest.approx(12 * 0.6) and data["people_needed"] == 6
    hourly = CROWD.replace("0.60", "15").replace('"USD"', '"USD"\nper = "hour"')
    by_hour = design_check.check_design(project, design_check.parse_config(project, config(n=6, more=hourly))).as_dict()
    assert by_hour["pay"]["total"] == pytest.approx(15 * by_hour["minutes"] / 60, abs=0.05)
    project.pay_per_hour, project.pay_currency = 12.0, "EUR"
    raters_of(project, 2)
    usual = design_check.check_design(project, design_check.parse_config(project, config(n=6))).as_dict()
    assert usual["pay"]["per_hour"] == 12.0 and usual["pay"]["currency"] == "EUR"


def test_the_methods_tell_pay_and_consent(study):
    project, round_, _row, address = study
    make_run(project, "lead")
    consent.publish_version(project=project, purpose="Research only.", text="You agree.", by=None)
    come(address, agree="1", consent_version="1")
    user = CrowdWorker.objects.get().user
    read_instructions(round_, user)
    rate_all(round_, user)
    round_control.apply_action(round_=round_, action="unblind", by=None)
    methods = report_jobs.make_report(round_)["methods"]
    assert "Raters were paid USD 0.60 per item (about USD " in methods
    assert "after agreeing to a consent page that states the purpose and judged at most 2 items each" in methods


def test_consent_comes_before_the_account(study):
    project, _round, _row, address = study
    text = "# Consent\n\nYou *agree*."
    consent.publish_version(project=project, purpose="For research <b>only</b>.", text=text, by=None)
    page = Client().get(f"{address}?PROLIFIC_PID={ID}1").content.decode()
    assert "For research &lt;b&gt;only&lt;/b&gt;." in page and "<em>agree</em>" in page
    for data in ({}, {"agree": "1"}, {"agree": "1", "consent_version": "2"}, {"consent_version": "1"}):
        _client, refused = come(address, **data)
        assert refused.status_code == 409 and not CrowdWorker.objects.exists()
    assert come(address, agree="1", consent_version="1")[1].status_code == 302
    agreement = ConsentAgreement.objects.get()
    assert (agreement.version.number, agreement.worker.external_id) == (1, f"{ID}1")


def test_a_newer_version_is_asked_before_the_next_item(study):
    project, round_, _row, address = study
    consent.publish_version(project=project, purpose="Research.", text="One.", by=None)
    client, _answer = come(address, agree="1", consent_version="1")
    user = CrowdWorker.objects.get().user
    read_instructions(round_, user)
    result = claim(round_, user)
    consent.publish_version(project=project, purpose="Research.", text="Two.", by=None)

    rating_answers.save_answers(assignment=result, payload=answers_for(result), finish=True)
    assert item_claims.claim_next(round_=round_, rater=user).reason == "consent"
    answer = client.post(reverse("next-item", args=[round_.public_id]))
    assert answer.headers["Location"] == f"/p/{project.slug}/consent/"
    page = f"/p/{project.slug}/consent/"
    assert "Two." in client.get(page).content.decode()
    assert client.post(page, {"agree": "1", "consent_version": "1"}).status_code == 409
    assert client.post(page, {"agree": "1", "consent_version": "2"}).status_code == 302
    assert claim(round_, user) is not None
    agreed = ConsentAgreement.objects.order_by("version__number").values_list("version__number", flat=True)
    assert list(agreed) == [1, 2] and "You agreed to version 2" in client.get(page).content.decode()


def test_a_newer_version_is_asked_at_the_door_too(study):
    project, _round, _row, address = study
    come(address)
    consent.publish_version(project=project, purpose="Research.", text="One.", by=None)
    assert come(address)[1].status_code == 409
    assert come(address, agree="1", consent_version="1")[1].status_code == 302
    assert not CrowdWorker.objects.get().consent_due
    assert come(address)[1].status_code == 302


def test_writers_are_asked_too(db):
    project = project_with_gold()
    admin = member(project, "admin", Role.ADMIN)
    link_settings = crowd_links.LinkSettings(name="w", tasks=1, max_uses=5, pay_amount=Decimal(2), pay_currency="EUR")
    _row, plain = crowd_links.make_link(project=project, by=admin, link_settings=link_settings)
    client, _answer = come(f"/take-part/{plain}/")
    assert "EUR 2.00 per summary" in Client().get(f"/take-part/{plain}/?PROLIFIC_PID={ID}2").content.decode()
    consent.publish_version(project=project, purpose="Research.", text="One.", by=None)
    answer = client.post(f"/p/{project.slug}/next/")
    assert answer.headers["Location"] == f"/p/{project.slug}/consent/"


def test_the_consent_page_of_staff_publishes_and_previews(study):
    project, _round, _row, address = study
    client = Client()
    client.force_login(project.memberships.get(role="admin").user)
    page = f"/p/{project.slug}/members/consent/"
    assert "ethics board" in client.get(page).content.decode()
    form = {"purpose": "Research.", "text": "# Consent\n\nYou *may* stop."}
    assert "<em>may</em>" in client.post(page, {**form, "do": "preview"}).content.decode()
    assert not ConsentVersion.objects.exists()
    assert client.post(page, {**form, "do": "publish"}).status_code == 302
    assert client.post(page, {**form, "do": "publish"}).status_code == 422
    assert "Consent page, version 1" in client.get(f"/p/{project.slug}/members/crowd/").content.decode()
    come(address, agree="1", consent_version="1")
    assert "1 person agreed" in client.get(page).content.decode()


def test_commands_make_links_and_publish_consent(study, tmp_path, capsys):
    project, round_, _row, _address = study
    call_command("make_crowd_link", project.slug, "By command", "--round", round_.name, "--json")
    data = json.loads(capsys.readouterr().out)
    link = CrowdLink.objects.latest("pk")
    assert link.round_link.round == round_ and (data["tasks"], data["no_work"]) == (2, link.code_no_work)
    assert data["pay"].startswith("USD 0.60 per item")
    file = tmp_path / "consent.md"
    file.write_text("You *may* stop.")
    call_command("publish_consent", project.slug, str(file), "--purpose", "Research.")
    assert "version 1" in capsys.readouterr().out
    assert come(data["path"])[1].status_code == 409 and not CrowdWorker.objects.exists()
    for options in (["--round", "No such"], ["--pay", "much"], ["--pay", "1", "--currency", "dollars"]):
        with pytest.raises(CommandError):
            call_command("make_crowd_link", project.slug, "x", *options)
    with pytest.raises(CommandError, match=r"absent\.md: No such file"):
        call_command("publish_consent", project.slug, str(tmp_path / "absent.md"), "--purpose", "Research.")


def test_a_link_for_raters_is_made_on_the_page(study):
    project, round_, _row, _address = study
    client = Client()
    client.force_login(project.memberships.get(role="admin").user)
    page = f"/p/{project.slug}/members/crowd/"
    chosen = client.get(f"{page}?target={round_.public_id}").content.decode()
    assert f'value="rater:{round_.public_id}" selected' in chosen
    form = {"name": "By page", "leads_to": f"rater:{round_.public_id}", "tasks": "2", "max_uses": "5", "days": "3"}
    form |= {"id_parameter": "PROLIFIC_PID", "pay_amount": "0.75", "pay_currency": "USD"}
    text = client.post(page, form).content.decode()
    link = CrowdLink.objects.latest("pk")
    assert link.code_no_work in text and link.round_link.round == round_
    assert crowd_outcomes.describe_pay(link) == "USD 0.75 per item"
    assert client.post(page, {**form, "leads_to": "rater:0"}).status_code == 422


@pytest.mark.db_engine
@pytest.mark.django_db(transaction=True)
def test_a_crowd_at_once_fills_no_place_twice_and_nobody_rates_too_much():
    project, round_ = open_crowd_round(n=6, n_raters=2)
    row, _address = make_link(project, round_, tasks=2)
    visits = [crowd_links.Visit(f"person{number}", "", "") for number in range(6)]
    start, counts = threading.Barrier(len(visits)), []

    def work(visit: crowd_links.Visit) -> None:
        start.wait()
        try:
            worker = crowd_links.enter_study(link=row, visit=visit)
            read_instructions(round_, worker.user)
            counts.append(len(rate_all(round_, worker.user)))
        finally:
            connection.close()

    if connection.vendor == "sqlite":  # its test database is in memory, where even a reader may find a table locked
        start = threading.Barrier(1)
        for visit in visits:
            work(visit)
    else:
        threads = [threading.Thread(target=work, args=(visit,)) for visit in visits]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert len(counts) == 6 and max(counts) == 2
    item_assignments = ItemAssignment.objects.filter(state="done")
    assert RatingSlot.objects.filter(state="filled").count() == item_assignments.count() == sum(counts)
    assert item_assignments.values("item", "rater").distinct().count() == sum(counts)
    lanes = list(RoundRater.objects.values_list("lane", flat=True))
    assert sorted(lanes) == [1, 1, 1, 2, 2, 2]


@pytest.mark.db_engine
@pytest.mark.django_db(transaction=True)
def test_six_claims_at_once_stay_within_the_limit():
    project, round_ = open_crowd_round(n=6)
    row, _address = make_link(project, round_, tasks=1)
    worker = crowd_links.enter_study(link=row, visit=crowd_links.Visit("abc", "", ""))
    read_instructions(round_, worker.user)
    start, claimed = threading.Barrier(6), []

    def work() -> None:
        start.wait()
        try:
            with write_transaction() if connection.vendor == "sqlite" else nullcontext():
                claimed.append(item_claims.claim_next(round_=round_, rater=worker.user).assignment.pk)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(claimed) == 6 and len(set(claimed)) == 1 and ItemAssignment.objects.count() == 1
