"""Webhooks from the empty page to the log of a delivery, in both themes and on a phone."""

import pytest
from playwright.sync_api import expect

from annotation.models import Project, Role, WebhookDelivery, WebhookTopic
from annotation.services.webhooks import outbox
from tests.browser.test_interim import check_page
from tests.tasks.factories import make_people, make_project
from tests.webhooks.factories import open_receiver, work_off_webhooks


@pytest.fixture
def receiver(settings):
    with open_receiver() as opened:
        settings.EPITOME_WEBHOOK_HOSTS = opened.hosts
        yield opened


@pytest.fixture
def project(transactional_db):
    return make_project(documents=2)


def fail_once(project, receiver):
    """An event whose first try fails."""
    receiver.status, receiver.answer = 503, b"Service unavailable: the queue of this receiver is full"
    fresh = Project.objects.get(pk=project.pk)
    outbox.put_event(project=fresh, topic=WebhookTopic.EXPORT_READY, data={"job": "1"})
    work_off_webhooks()


def test_a_webhook_is_created_tested_paused_and_deleted(open_page, project, receiver):
    (admin,) = make_people(1, project, Role.ADMIN)
    page = open_page(admin, f"/p/{project.slug}/settings/")
    page.get_by_role("link", name="Webhooks").first.click()
    page.get_by_label("Address").fill("https://elsewhere.example.com/")
    page.get_by_role("button", name="Create webhook").click()
    page.get_by_text("This site may not send to").wait_for()
    page.get_by_label("Address").fill(receiver.url)
    page.get_by_label("a round was closed").uncheck()
    page.get_by_role("button", name="Create webhook").click()
    assert page.locator("[data-secret]").inner_text().startswith("eph_")
    check_page(page, "webhook-created")
    page.get_by_role("link", name=receiver.url).click()
    page.get_by_role("button", name="Send test").click()
    page.get_by_text("1 delivery is waiting.").wait_for()
    work_off_webhooks()
    fail_once(project, receiver)
    page.reload()
    expect(page.get_by_role("cell", name="delivered")).to_have_count(1)
    assert "Next try" in page.inner_text("main") and "failed once" in page.inner_text("main")
    check_page(page, "webhook")
    page.get_by_role("button", name="Pause").click()
    page.get_by_text("Webhook paused.").wait_for()
    page.get_by_role("button", name="Replace secret").click()
    assert page.locator("[data-secret]").inner_text().startswith("eph_")
    page.get_by_role("button", name="Delete webhook").click()
    page.get_by_text("Webhook deleted.").wait_for()
    assert not WebhookDelivery.objects.exists()


def test_without_a_list_of_hosts_the_page_says_what_to_do(open_page, project, settings):
    settings.EPITOME_WEBHOOK_HOSTS = []
    (admin,) = make_people(1, project, Role.ADMIN)
    page = open_page(admin, f"/p/{project.slug}/settings/webhooks/")
    page.get_by_text("Webhooks are off on this site").wait_for()
    expect(page.get_by_role("button", name="Create webhook")).to_have_count(0)
    check_page(page, "webhooks-off")
