"""A withdrawal takes the examples made from the person's summaries along."""

import pytest

from annotation.models import Annotation, Assignment, Contrastive, Role
from annotation.services.contrastives import exporting, making
from annotation.services.tasks import claim, submit
from annotation.services.withdrawal import withdraw
from annotation.services.withdrawal.withdraw import WithdrawalScope
from tests.contrastives.factories import make_gold_project
from tests.tasks.factories import make_people, payload

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]
MARK = "quillwort"


@pytest.fixture
def written():
    """A project with an accepted summary and its examples, and who wrote it."""
    project = make_gold_project()
    admin, person = make_people(1, project, Role.ADMIN), make_people(1, project)[0]
    task = claim.claim_next(project=project, annotator=person).assignment
    summary = f"Men stole the {MARK} and fled in two cars."
    submit.submit_task(assignment=task, payload=payload(summary=summary), idempotency_key="k")
    Assignment.objects.update(state="accepted")
    making.make_contrastives(project=project)
    return project, admin[0], person


def withdraw_work(project, admin, person, **parts):
    fields = {"project": project, "person": person, "asked": WithdrawalScope(**parts), "by": admin}
    preview = withdraw.preview_withdrawal(**fields)
    withdraw.withdraw_person(expect=preview.total, **fields)
    return preview


def test_texts_vanish_with_the_text_they_were_made_from(written):
    project, _admin, person = written
    contrastives = Contrastive.objects.filter(annotation__assignment__annotator=person)
    others = Contrastive.objects.exclude(pk__in=contrastives.values("pk"))
    n, n_others = contrastives.count(), others.count()
    assert n > 10 and any(MARK in row.text for row in contrastives)
    preview = withdraw_work(*written, remove_texts=True)
    assert preview.counts["contrastives"] == n
    assert contrastives.count() == n and others.filter(state="active").count() == n_others
    for row in contrastives.all():
        assert (row.state, row.text, row.edits, row.from_source) == ("withdrawn", "", [], None)
        assert row.text_key == f"withdrawn:{row.pk}"
    assert MARK not in str(list(Contrastive.objects.values()))
    assert not Contrastive.objects.active().filter(pk__in=contrastives.values("pk")).exists()
    assert MARK.encode() not in b"".join(exporting.export_lines(project))
    count_before = Contrastive.objects.count()
    making.make_contrastives(project=project)
    assert Contrastive.objects.count() == count_before


def test_lines_that_exports_leave_out_leave_their_examples_out(written):
    project, _admin, person = written
    assert MARK.encode() in b"".join(exporting.export_lines(project))
    withdraw_work(*written, leave_out=True)
    assert MARK.encode() not in b"".join(exporting.export_lines(project))
    assert Annotation.objects.filter(assignment__annotator=person).exists()
