"""Unblinding by a page takes the name of the round, which is typed under the number of ratings that are in."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import AuditEvent, Role
from tests.rounds.factories import launch_new_round, member, project_with_gold, rate_all, raters_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(db):
    """A round of four items with two raters of whom one has rated all, and a researcher's client."""
    project = project_with_gold(documents=4)
    first, second = raters_of(project)
    round_ = launch_new_round(project, n=4)
    rate_all(round_, first)
    client = Client()
    client.force_login(member(project, "researcher", Role.RESEARCHER))
    return round_, second, client


def addresses(made):
    return [reverse(name, args=[made.project.slug, made.public_id]) for name in ("round-unblind", "round-report")]


def test_the_page_counts_what_is_missing_and_takes_no_other_name(desk):
    result, _two, client = desk
    page, report = addresses(result)
    assert "4 of 8 ratings are missing. Unblinding cannot be undone." in client.get(page).content.decode()
    assert "4 of 8 ratings are missing." in client.get(report).content.decode()
    for item in ({}, {"name": ""}, {"name": "Second"}, {"name": "first"}):
        assert client.post(page, item).status_code == 422
    result.refresh_from_db()
    assert result.state == "open" and not AuditEvent.objects.filter(verb="round.unblind").exists()


def test_the_typed_name_unblinds_and_starts_the_report(desk):
    result, two, client = desk
    rate_all(result, two)
    page, report = addresses(result)
    assert "8 of 8 ratings are in. Unblinding cannot be undone." in client.get(page).content.decode()
    assert "Raters are still at work" not in client.get(report).content.decode()
    assert client.post(page, {"name": f" {result.name} "}).headers["Location"] == report
    result.refresh_from_db()
    assert result.state == "unblinded" and result.project.jobs.filter(kind="round-report").exists()
    assert client.get(page).headers["Location"] == report


@pytest.mark.parametrize("name", ["round", "round-report-start"])
def test_no_other_form_of_the_pages_unblinds(desk, name):
    result, _two, client = desk
    client.post(reverse(name, args=[result.project.slug, result.public_id]), {"do": "unblind"})
    result.refresh_from_db()
    assert result.state == "open"
