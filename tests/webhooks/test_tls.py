"""Deliveries over TLS: to a certificate of an authority that the machine trusts, for the host that was named."""

import ssl
from datetime import UTC, datetime

import pytest
import trustme

from annotation.models import WebhookDelivery
from epitome.site.webhook_hosts import read_hosts
from tests.webhooks.factories import make_webhook, open_receiver, work_off_webhooks

pytestmark = pytest.mark.django_db
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture
def deliver(settings, project, monkeypatch, tmp_path):
    """deliver(certificate, trusted) -> (receiver, delivery) after a test delivery to https://localhost."""

    def run(certificate: trustme.LeafCert, trusted: trustme.CA):
        trusted.cert_pem.write_to_path(str(tmp_path / "authorities.pem"))
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authorities.pem"))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate.configure_cert(context)
        with open_receiver(context) as receiver:
            settings.EPITOME_WEBHOOK_HOSTS = read_hosts([f"private:localhost:{receiver.port}"])
            make_webhook(project, f"https://localhost:{receiver.port}/epitome")
            work_off_webhooks()
        return receiver, WebhookDelivery.objects.get()

    return run


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


def test_a_delivery_to_a_trusted_host_arrives(deliver, authority):
    receiver, delivery = deliver(authority.issue_cert("localhost"), authority)
    assert (delivery.state, delivery.status_code, delivery.error) == ("delivered", 204, "")
    ((path, headers, _body),) = receiver.got
    assert path == "/epitome" and headers["Epitome-Event"] == "webhook.test"
    assert headers["Host"] == f"localhost:{receiver.port}"


@pytest.mark.parametrize(
    ("issue", "words"),
    [
        (lambda known: known.issue_cert("hooks.example.org"), "Hostname mismatch"),
        (lambda known: trustme.CA().issue_cert("localhost"), "unable to get local issuer certificate"),
        (lambda known: known.issue_cert("localhost", not_after=LONG_AGO), "certificate has expired"),
    ],
    ids=["another host", "unknown authority", "expired"],
)
def test_a_certificate_that_does_not_vouch_for_the_host_gets_nothing_and_is_logged(deliver, authority, issue, words):
    receiver, delivery = deliver(issue(authority), authority)
    assert receiver.got == [], "not a byte of the delivery left"
    assert (delivery.state, delivery.status_code) == ("failed", None)
    assert delivery.error.startswith("The certificate was refused:") and words in delivery.error
