"""The pages and calls of webhooks, as an admin of the project uses them."""

import json

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotation.models import Membership, Role, Webhook, WebhookDelivery
from annotation.services.accounts.api_tokens import create_token
from annotation.services.webhooks import webhooks
from tests.tasks.factories import make_project
from tests.webhooks.factories import EVENTS, HOOK, make_webhook, work_off_webhooks

pytestmark = pytest.mark.django_db
PAGE = "/p/news/settings/webhooks/"


@pytest.fixture
def admin(db) -> User:
    user = User.objects.create(username="admin")
    Membership.objects.create(project=make_project(documents=1), user=user, role=Role.ADMIN)
    return user


@pytest.fixture
def browser(admin) -> Client:
    client = Client()
    client.force_login(admin)
    return client


def read(answer) -> str:
    return " ".join(answer.content.decode().split())


def test_a_webhook_is_created_and_its_secret_shown_once(browser, receiver):
    page = read(browser.get(PAGE))
    assert f"http://127.0.0.1:{receiver.port}" in page
    answer = browser.post(PAGE, {"url": receiver.url, "events": ["run.done", "export.ready"]})
    secret = read(answer).partition("data-secret>")[2].partition("<")[0]
    assert secret.startswith("eph_")
    assert Webhook.objects.get().events == ["run.done", "export.ready"]
    assert secret not in read(browser.get(PAGE))


def test_faults_are_told_at_their_fields(browser):
    answer = browser.post(PAGE, {"url": "https://evil.example.com/", "events": EVENTS})
    assert answer.status_code == 422
    assert "This site may not send to https://evil.example.com, port 443." in read(answer)
    assert browser.post(PAGE, {"url": HOOK}).status_code == 422
    assert browser.post(PAGE, {"url": HOOK, "events": ["webhook.test"]}).status_code == 422
    assert not Webhook.objects.exists()


def test_without_a_list_of_hosts_the_page_says_so(browser, settings):
    webhook = make_webhook(make_project("other", documents=1))
    Webhook.objects.filter(pk=webhook.pk).update(project=Membership.objects.get().project)
    settings.EPITOME_WEBHOOK_HOSTS = []
    page = read(browser.get(PAGE))
    assert "Webhooks are off on this site" in page and "EPITOME_WEBHOOK_HOSTS" in page
    assert "Create webhook" not in page
    result = read(browser.get(f"{PAGE}{webhook.public_id}/"))
    assert "Send test" not in result and "Delete webhook" in result
    assert browser.post(PAGE, {"url": HOOK, "events": EVENTS}).status_code == 422


def test_the_buttons_of_a_webhook(browser, receiver):
    webhook, old = webhooks.create_webhook(
        project=Membership.objects.get().project, url=receiver.url, events=EVENTS, by=None
    )
    address = f"{PAGE}{webhook.public_id}/"
    assert "Nothing was sent yet." in read(browser.get(address))
    assert "Test queued." in read(browser.post(address, {"do": "test"}, follow=True))
    assert "1 delivery is waiting." in read(browser.get(address))
    receiver.status, receiver.answer = 418, b"<b>short</b>"
    work_off_webhooks()
    page = read(browser.get(address))
    assert "given up" in page and "status 418" in page and "&lt;b&gt;short&lt;/b&gt;" in page
    assert "Webhook paused." in read(browser.post(address, {"do": "pause"}, follow=True))
    assert "Webhook resumed." in read(browser.post(address, {"do": "resume"}, follow=True))
    new = read(browser.post(address, {"do": "rotate"})).partition("data-secret>")[2].partition("<")[0]
    assert new.startswith("eph_") and new != old
    changed = {"do": "change", "url": receiver.url, "events": ["round.closed"]}
    assert "Webhook saved." in read(browser.post(address, changed, follow=True))
    assert Webhook.objects.get().events == ["round.closed"]
    assert browser.post(address, {**changed, "url": HOOK}).status_code == 422
    assert browser.post(address, {"do": "explode"}).status_code == 422
    assert "Webhook deleted." in read(browser.post(address, {"do": "delete"}, follow=True))
    assert browser.get(address).status_code == 404


def test_the_webhook_of_another_project_is_not_found(browser):
    webhook = make_webhook(make_project("other", documents=1))
    assert browser.get(f"{PAGE}{webhook.public_id}/").status_code == 404


def test_everything_by_calls(admin, receiver):
    client = Client(headers={"Authorization": f"Token {create_token(user=admin, name='x', scope='write')[1]}"})

    def call(method, path, body=None, status=200):
        answer = client.generic(method, f"/api/v1/{path}", json.dumps(body or {}), content_type="application/json")
        assert answer.status_code == status, answer.content
        return answer.json() if answer.content else None

    result = call("POST", "projects/news/webhooks/", {"url": receiver.url}, 201)
    assert result["events"] == EVENTS and result["secret"].startswith("eph_")
    text = f"webhooks/{result['id']}/"
    assert "secret" not in call("GET", text)
    assert call("GET", "projects/news/webhooks/")["count"] == 1
    assert call("PATCH", text, {"events": ["run.done"], "paused": True})["paused_at"]
    test = call("POST", f"{text}test/", status=202)
    work_off_webhooks()
    (delivery,) = call("GET", f"{text}deliveries/")["results"]
    assert (delivery["id"], delivery["event"], delivery["state"]) == (test["id"], "webhook.test", "delivered")
    assert call("POST", f"{text}secret/", status=201)["secret"] != result["secret"]
    assert call("PATCH", text, {"url": "https://evil.example.com/"}, 422)["errors"][0]["field"] == "url"
    assert call("PATCH", text, {"secret": "mine"}, 422)["errors"][0]["field"] == "secret"
    call("DELETE", text, status=204)
    call("GET", text, status=404)
    assert not WebhookDelivery.objects.exists()
