"""A project starts with a schema, a guideline and an admin, and keeps every version of both."""

import pytest

from annotation.kinds import project_kinds
from annotation.models import AuditEvent, Membership, Project, SchemaVersion
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.people import projects
from epitome.schema import PRESETS, preset_text

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_makes_a_project_with_a_written_guideline(preset, admin):
    kind = next(key for key, kind in project_kinds().items() if preset in kind.presets)
    project = projects.create_project(slug="p", name="Ours", schema=preset, kind=kind, created_by=admin, overlap=3)
    project.refresh_from_db()
    assert (project.preset, project.overlap, project.name) == (preset, 3, "Ours")
    assert project.domain == project.schema_version.schema.domain
    assert project.schema_version.number == project.guideline_version.number == 1
    assert project.guideline_version.text.count("**Example") >= 10
    assert list(Membership.objects.values_list("user__username", "role")) == [("admin", "admin")]
    assert AuditEvent.objects.get().verb == "project.create"


def test_a_taken_slug_is_a_conflict(news):
    with pytest.raises(Conflict) as refused:
        projects.create_project(slug="news", schema="macsum-doc")
    assert refused.value.field == "slug"
    assert Project.objects.count() == 1


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"slug": "a b"}, "slug"),
        ({"slug": ""}, "name"),
        ({"schema": "none"}, "schema"),
        ({"overlap": 0}, "overlap"),
        ({"overlap": 51}, "overlap"),
        ({"overlap": "many"}, "overlap"),
        ({"claim_unit": "page"}, "claim_unit"),
        ({"phases": "three"}, "phases"),
        ({"timezone": "Mars/Base"}, "timezone"),
        ({"name": "x" * 201}, "name"),
        ({"name": "a\x00b"}, "name"),
        ({"export_salt": "0"}, "export_salt"),
        ({"guideline": "a\x00"}, "guideline"),
    ],
)
def test_wrong_values_are_refused_by_name(values, field):
    with pytest.raises(BadInput) as refused:
        projects.create_project(**({"slug": "p", "schema": "macsum-doc"} | values))
    assert refused.value.field == field
    assert not Project.objects.exists()


def test_a_schema_with_a_fault_is_refused_with_its_line():
    with pytest.raises(BadInput, match=r"line \d+"):
        projects.create_project(slug="p", schema_text='key = "x"\nname = 3\n')


def test_settings_change_and_a_wrong_one_changes_nothing(news):
    projects.change_settings(project=news, by=None, name="News", overlap=2)
    news.refresh_from_db()
    assert (news.name, news.overlap) == ("News", 2)
    with pytest.raises(BadInput) as refused:
        projects.change_settings(project=news, by=None, name="Other", overlap=99)
    assert refused.value.field == "overlap"
    assert (news.name, news.overlap) == ("News", 2)
    news.refresh_from_db()
    assert (news.name, news.overlap) == ("News", 2)


def test_a_changed_schema_is_the_next_version_and_the_first_stays(news):
    first = news.schema_version.text
    text = first + "\n# changed\n"
    schema_version = projects.new_schema_version(project=news, text=text, by=None)
    assert schema_version.number == 2
    assert projects.new_schema_version(project=news, text=text, by=None) == schema_version
    assert news.schema_version == schema_version
    assert list(SchemaVersion.objects.order_by("number").values_list("text", flat=True)) == [first, text]


def test_a_schema_of_the_other_domain_is_refused(news):
    with pytest.raises(BadInput):
        projects.new_schema_version(project=news, text=preset_text("macsum-dial"), by=None)


def test_a_changed_guideline_is_the_next_version(news):
    guideline_version = projects.new_guideline_version(project=news, text="# Two\r\n", by=None)
    assert (guideline_version.number, guideline_version.text) == (2, "# Two\n")
    assert projects.new_guideline_version(project=news, text="# Two\n", by=None) == guideline_version
    assert news.guideline_version == guideline_version


def test_a_preset_can_say_how_many_annotators_a_sample_has():
    tesa = {"schema": "tesa", "kind": "aggregation"}
    assert projects.create_project(slug="a", **tesa).overlap == 3
    assert projects.create_project(slug="b", **tesa, overlap=2).overlap == 2
    assert projects.create_project(slug="c", schema="macsum-doc").overlap == 1
