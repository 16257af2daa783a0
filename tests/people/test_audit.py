"""The audit log: stored verbs are one of the choices, and their words are on the pages."""

import json
import os
import subprocess
import sys

import pytest
from django.db import IntegrityError, transaction

from annotation.models import AuditEvent, AuditVerb
from annotation.services.core import audit
from tests.conftest import ROOT

RENAME_VERBS = """
import json
import django
django.setup()
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

def migrate_annotation(name):
    executor = MigrationExecutor(connection)
    executor.migrate([("annotation", name)])
    return executor.loader.project_state([("annotation", name)]).apps

def list_verbs():
    with connection.cursor() as cursor:
        cursor.execute("SELECT verb FROM annotation_auditevent ORDER BY id")
        return [verb for (verb,) in cursor.fetchall()]

events = migrate_annotation("0002_lz4").get_model("annotation", "AuditEvent").objects
for verb in ("create_project", "member.add", "sign-in.try", "import", "freeze_release"):
    events.create(verb=verb, target="x:1")
before = list_verbs()
migrate_annotation("0003_audit_verbs")
renamed = list_verbs()
migrate_annotation("0002_lz4")
print(json.dumps([before, renamed, list_verbs()]))
"""


def test_stored_verbs_are_renamed_and_back(tmp_path):
    """In a new database that is migrated so far only: to unmake what came later takes a minute."""
    env = {**os.environ, "DATABASE_URL": f"sqlite:///{tmp_path / 'verbs.sqlite3'}", "EPITOME_DATA_DIR": str(tmp_path)}
    command = [sys.executable, "-c", RENAME_VERBS]
    completed = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    old = ["create_project", "member.add", "sign-in.try", "import", "freeze_release"]
    new = ["project.create", "member.add", "sign_in.try", "source.import", "release.freeze"]
    assert json.loads(completed.stdout.splitlines()[-1]) == [old, new, old]


@pytest.mark.db_engine
def test_an_unknown_verb_is_not_stored(db):
    with pytest.raises(IntegrityError), transaction.atomic():
        AuditEvent.objects.create(verb="project.burn", target="x:1")
    for verb in AuditVerb:
        AuditEvent.objects.create(verb=verb, target="x:1")
    assert AuditEvent.objects.count() == len(AuditVerb)


def test_pages_show_words_and_no_keys(staff):
    for verb in (AuditVerb.QUESTION_ASK, AuditVerb.ROUND_LAUNCH, AuditVerb.RUN_START):
        audit.record_event(project=staff.project, actor=staff.admin, verb=verb, target="x:1")
    for path in ("audit/", ""):
        page = staff.client.get(staff.url(path)).content.decode()
        for words in ("asked a question", "launched a round", "started a run"):
            assert words in page, (path, words)
        assert not [verb for verb in AuditVerb if f">{verb.value}<" in page]
