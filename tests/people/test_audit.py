"""The audit log: stored verbs are one of the choices, and their words are on the pages."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.migrations.executor import MigrationExecutor

from annotation.models import AuditEvent, AuditVerb
from annotation.services.core import audit


def migrate_annotation(name: str):
    """The models after migrating to one migration of the app annotation."""
    executor = MigrationExecutor(connection)
    executor.migrate([("annotation", name)])
    return executor.loader.project_state([("annotation", name)]).apps


@pytest.mark.db_engine
@pytest.mark.django_db(transaction=True)
def test_stored_verbs_are_renamed_and_back():
    old = ["create_project", "member.add", "sign-in.try", "import", "freeze_release"]
    new = ["project.create", "member.add", "sign_in.try", "source.import", "release.freeze"]

    def stored(events) -> list[str]:
        return list(events.order_by("id").values_list("verb", flat=True))

    try:
        events = migrate_annotation("0002_lz4").get_model("annotation", "AuditEvent").objects
        for verb in old:
            events.create(verb=verb, target="x:1")
        migrate_annotation("0003_audit_verbs")
        assert stored(AuditEvent.objects) == new
        migrate_annotation("0002_lz4")
        assert stored(events) == old
    finally:
        executor = MigrationExecutor(connection)
        executor.migrate(executor.loader.graph.leaf_nodes())


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
