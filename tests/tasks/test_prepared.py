"""Prepared queries give what the ORM gives, with values always kept apart from the SQL."""

import pytest
from django.db import IntegrityError, connection
from django.db.models import BooleanField, Func, Q
from django.test.utils import CaptureQueriesContext

from annotation.models import Assignment, Membership, Project, Slot, SourceDocument
from annotation.services.core import access
from annotation.services.core.prepared_queries import (
    IntParam,
    Prepared,
    PreparedInsert,
    PreparedUpdate,
    TextParam,
    pipeline,
)
from annotation.services.tasks import assignments
from annotation.transactions import write_transaction
from tests.tasks.factories import make_people, make_project

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]


def test_rows_are_model_instances_with_their_relations():
    project = make_project(documents=1)
    query = Prepared(lambda: Slot.objects.select_related("group__document").filter(project=IntParam("project")))
    plain = list(Slot.objects.select_related("group__document").filter(project=project))
    with CaptureQueriesContext(connection) as log:
        result = query.rows(project=project.pk)
        assert [item.group.document.external_id for item in result] == ["news-0"] * 4
    assert len(log) == 1
    assert result == plain
    assert query.rows(project=0) == []


def test_rows_of_values_are_tuples_as_python_sees_them():
    project = make_project(documents=1)
    query = Prepared(
        lambda: Project.objects.filter(pk=IntParam("pk")).values_list("public_id", "sampler", "created_at")
    )
    assert query.first(pk=project.pk) == (project.public_id, {}, Project.objects.get().created_at)


def test_what_people_send_is_never_part_of_the_sql():
    make_project("open")
    query = Prepared(lambda: Project.objects.filter(slug=TextParam("slug")))
    for odd in ("open' OR '1'='1", "%s", "open; --", "o'pen", "%(slug)s"):
        assert query.rows(slug=odd) == []
    assert len(query.rows(slug="open")) == 1


def test_constants_stand_in_the_sql_beside_a_percent_sign():
    make_project("open")
    ends = Func("slug", template="%(expressions)s LIKE '%%%%pen'", output_field=BooleanField())
    query = Prepared(
        lambda: Project.objects.annotate(fits=ends).filter(fits=True, domain="document", name=TextParam("name"))
    )
    assert [project.slug for project in query.rows(name="Open")] == ["open"]
    assert query.rows(name="%s") == []


def test_updates_and_inserts_touch_what_they_say():
    project = make_project(documents=1)
    update = PreparedUpdate(
        lambda: (SourceDocument.objects.filter(project=IntParam("project")), {"title": TextParam("title")})
    )
    assert update.run(project=project.pk, title="100 % 'new' %s") == 1
    assert SourceDocument.objects.get().title == "100 % 'new' %s"
    (person,) = make_people(1, project)
    insert = PreparedInsert(Membership)
    fields = {"user_id": person.pk, "project_id": project.pk, "created_at": project.created_at}
    keys = insert.run([{**fields, "role": "rater"}, {**fields, "role": "reviewer"}])
    assert sorted(Membership.objects.filter(pk__in=keys).values_list("role", flat=True)) == ["rater", "reviewer"]


def test_a_pipeline_stores_everything_and_tells_how_many_rows_changed():
    project = make_project(documents=3)
    (person,) = make_people(1, project)
    rename = PreparedUpdate(
        lambda: (SourceDocument.objects.filter(project=IntParam("project")), {"title": TextParam("title")})
    )
    insert = PreparedInsert(Membership)
    with pipeline():
        renamed = rename.send(project=project.pk, title="first")
        insert.send(
            [{"user_id": person.pk, "project_id": project.pk, "created_at": project.created_at, "role": "rater"}]
        )
        none_renamed = rename.send(project=0, title="second")
    assert (renamed.changed, none_renamed.changed) == (3, 0)
    assert set(SourceDocument.objects.values_list("title", flat=True)) == {"first"}
    assert Membership.objects.filter(user=person, role="rater").count() == 1


def test_an_error_inside_a_pipeline_is_djangos_and_undoes_the_whole_transaction():
    project = make_project(documents=1)
    (person,) = make_people(1, project)
    (earlier,) = Membership.objects.filter(user=person)
    title = SourceDocument.objects.get().title
    rename = PreparedUpdate(
        lambda: (SourceDocument.objects.filter(project=IntParam("project")), {"title": TextParam("title")})
    )
    insert = PreparedInsert(Membership)
    row = {"user_id": person.pk, "project_id": project.pk, "created_at": project.created_at, "role": earlier.role}
    with pytest.raises(IntegrityError), write_transaction(), pipeline():
        rename.send(project=project.pk, title="before the fault")
        insert.send([row])
        rename.send(project=project.pk, title="after the fault")
    assert SourceDocument.objects.get().title == title
    assert Membership.objects.get(user=person).pk == earlier.pk


@pytest.mark.skipif(connection.vendor != "postgresql", reason="on SQLite every statement is answered at once")
def test_what_is_not_answered_yet_has_no_number_of_rows():
    project = make_project(documents=1)
    rename = PreparedUpdate(
        lambda: (SourceDocument.objects.filter(project=IntParam("project")), {"title": TextParam("title")})
    )
    with pytest.raises(RuntimeError, match="not been answered"), pipeline():
        rename.run(project=project.pk, title="new")


def test_a_role_that_is_taken_away_counts_at_once():
    project = make_project()
    (person,) = make_people(1, project)
    assert access.project_for(person, "news", (access.Role.ANNOTATOR,)) == project
    Membership.objects.all().delete()
    with pytest.raises(access.NotFound):
        access.project_for(person, "news", (access.Role.ANNOTATOR,))


def test_own_assignments_are_found_like_the_orm_finds_them():
    project = make_project(frozen=True)
    (person,) = make_people(1, project)
    from annotation.services.tasks import claim

    task = claim.claim_next(project=project, annotator=person).assignment
    own_assignment = assignments.get_own_assignment(person, str(task.public_id))
    plain = Assignment.objects.select_related("sample__schema_version").get(Q(pk=task.pk))
    assert (own_assignment, own_assignment.sample.values, own_assignment.sample.schema_version) == (
        plain,
        plain.sample.values,
        plain.sample.schema_version,
    )
