"""The finished example, filled once for all tests of a file: it takes tens of seconds."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connections, transaction

from annotation.models import Project
from evaluation.services.example import finished
from modelbridge.services.runs.system_processes import HOSTS


@pytest.fixture(scope="module")
def finished_project(django_db_setup: Any, django_db_blocker: Any) -> Iterator[Project]:
    """Rolled back when the file's tests are done; each test rolls back what it does itself."""
    with django_db_blocker.unblock():
        with transaction.atomic():
            project = finished.ensure_project()
            finished.fill_project(project)
            HOSTS.close()
            yield project
            transaction.set_rollback(True)
        connections.close_all()
