"""Links to a report: for unblinded rounds only, made and closed by staff, read by anybody until they expire."""

import io
import re
import zipfile
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.jobs import run_job
from annotation.models import AuditEvent, Role
from annotation.services.core.errors import BadInput, Conflict
from evaluation.models import ReportLink
from evaluation.services.monitoring import round_control
from evaluation.services.reports import report_jobs, report_links
from tests.reports.test_service import rated, unblinded  # noqa: F401  fixtures
from tests.rounds.factories import member, project_with_gold


@pytest.fixture
def reported(unblinded):  # noqa: F811
    run_job(report_jobs.start_report(round_=unblinded, by=None).pk)
    return unblinded


def links_url(round_):
    return reverse("round-report-links", args=[round_.project.slug, round_.public_id])


def make_address(client, round_) -> str:
    client.force_login(member(round_.project, "researcher", Role.RESEARCHER))
    page = client.post(links_url(round_), {"name": "Reviewer 2", "days": "30"}).content.decode()
    (address,) = re.findall(r"data-link>([^<]*)<", page)
    client.logout()
    return address


def test_anybody_with_the_address_reads_the_report_and_its_files(reported, client):
    address = make_address(client, reported)
    page = client.get(address)
    text = page.content.decode()
    assert page.status_code == 200 and "What came out" in text and "Differences between systems" in text
    assert page["Referrer-Policy"] == "no-referrer" and "no-store" in page["Cache-Control"]
    assert "noindex" in page["X-Robots-Tag"]
    assert 'id="t-raters"' not in text and "Recalculate" not in text and "/disagreements/" not in text
    archive = zipfile.ZipFile(io.BytesIO(client.get(f"{address}file/?format=zip").content))
    assert not [name for name in archive.namelist() if "raters" in name]
    assert client.get(f"{address}file/", {"table": "agreement", "format": "csv"}).status_code == 200
    assert client.get(f"{address}file/", {"table": "raters", "format": "csv"}).status_code == 404
    data = client.get(f"{address}file/?format=json").json()
    assert data["decisions"] == [] and "raters" not in {table["key"] for table in data["tables"]}


def test_the_secret_is_stored_hashed_and_both_deeds_stand_in_the_audit_log(reported, client):
    address = make_address(client, reported)
    link = ReportLink.objects.get()
    secret = address.rstrip("/").rpartition("/")[2]
    assert secret not in str(vars(link)) and len(link.digest) == 64
    client.force_login(member(reported.project, "admin2", Role.ADMIN))
    client.post(links_url(reported), {"revoke": str(link.public_id)})
    client.logout()
    assert client.get(address).status_code == 410
    assert client.get(f"{address}file/?format=zip").status_code == 410
    verbs = AuditEvent.objects.filter(verb__startswith="report_link").values_list("verb", "actor__username")
    assert list(verbs.order_by("pk")) == [("report_link.make", "researcher"), ("report_link.revoke", "admin2")]


def test_an_expired_link_leads_nowhere(reported, client):
    address = make_address(client, reported)
    ReportLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    page = client.get(address)
    assert page.status_code == 410 and "lead" not in re.sub(r"<[^>]*>", "", page.content.decode())
    assert client.get(f"{address}file/?format=json").status_code == 410


def test_a_blind_round_has_no_link(rated, client):  # noqa: F811
    researcher = member(rated.project, "researcher", Role.RESEARCHER)
    with pytest.raises(Conflict):
        report_links.make_link(round_=rated, name="Reviewer", days=30, by=researcher)
    client.force_login(researcher)
    assert client.get(links_url(rated)).status_code == 404
    assert client.post(links_url(rated), {"name": "Reviewer", "days": "30"}).status_code == 404


def test_a_link_of_a_round_that_is_not_unblinded_is_unknown(reported, client):
    """Such a row cannot be made; were it there, it would tell nothing."""
    address = make_address(client, reported)
    type(reported).objects.filter(pk=reported.pk).update(state="closed", unblinded_at=None)
    assert client.get(address).status_code == 404


def test_only_researchers_and_admins_make_links(reported, client):
    other = project_with_gold("other", documents=1)
    people = [
        member(other, "stranger", Role.RESEARCHER),
        member(reported.project, "reviewer", Role.REVIEWER),
        reported.raters.first().rater,
    ]
    for user in people:
        client.force_login(user)
        assert client.get(links_url(reported)).status_code == 404
        assert client.post(links_url(reported), {"name": "x", "days": "30"}).status_code == 404
    client.logout()
    assert client.get(links_url(reported)).status_code == 302
    assert not ReportLink.objects.exists()


@pytest.mark.parametrize(("name", "days"), [("", 30), ("x" * 101, 30), ("Reviewer", 0), ("Reviewer", 100_000)])
def test_a_link_needs_a_name_and_an_end(unblinded, name, days):  # noqa: F811
    with pytest.raises(BadInput):
        report_links.make_link(
            round_=unblinded, name=name, days=days, by=member(unblinded.project, "researcher", Role.RESEARCHER)
        )


def test_an_unknown_secret_is_not_found(client, db):
    assert client.get(reverse("shared-report", args=["nothing"])).status_code == 404
    assert client.get(reverse("shared-report-file", args=["nothing"])).status_code == 404


def test_a_link_before_the_first_report_says_so(unblinded, client):  # noqa: F811
    address = make_address(client, round_control.Round.objects.get(pk=unblinded.pk))
    assert "The report is being calculated" in client.get(address).content.decode()
