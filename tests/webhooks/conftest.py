"""A receiver on this machine that the operator has allowed, and a project whose webhook it is."""

from collections.abc import Iterator

import pytest

from annotation.models import Project, Webhook
from annotation.services.webhooks import webhooks
from tests.tasks.factories import make_project
from tests.webhooks.factories import EVENTS, Receiver, open_receiver


@pytest.fixture
def receiver(settings) -> Iterator[Receiver]:
    with open_receiver() as opened:
        settings.EPITOME_WEBHOOK_HOSTS = opened.hosts
        yield opened


@pytest.fixture
def project(db) -> Project:
    return make_project(documents=3, groups=1, size=2, frozen=True)


@pytest.fixture
def hooked(project, receiver) -> tuple[Webhook, str]:
    """(webhook, secret)"""
    return webhooks.create_webhook(project=project, url=receiver.url, events=EVENTS, by=None)
