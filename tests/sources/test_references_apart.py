"""Summaries that come with sources and ask for nothing are references: no samples in any count, list or draw."""

import pytest
from django.test import Client

from annotation.models import Annotation, Role, Sample
from annotation.services.people.projects import create_project
from annotation.services.sampling.draw import default_options, dry_run, sample_attributes
from annotation.services.staff.pipeline_counts import count_coverage, count_pipeline
from tests.export.factories import import_project_file, row
from tests.tasks.factories import make_people

pytestmark = pytest.mark.django_db

N_SOURCES = 3


def bring(project, folder, *, attributes=None):
    """Import three sources with a summary each; attributes: the columns that say what each summary was asked for."""
    columns = attributes or {}
    lines = ["id,text,summary" + "".join(f",{key}" for key in columns)]
    for number in range(N_SOURCES):
        text = row(number)["text"] * 8
        lines.append(f'd{number},"{text}",The council voted.' + "".join(f",{value}" for value in columns.values()))
    file = folder / "sources.csv"
    file.write_text("\n".join(lines) + "\n")
    mapping = {"id": "id", "text": "text", "summary": "summary"} | {f"attribute:{key}": key for key in columns}
    import_project_file(project, file, with_references=True, mapping=mapping)


@pytest.fixture
def project(tmp_path):
    project = create_project(slug="own", schema="macsum-doc")
    bring(project, tmp_path)
    return project


@pytest.fixture
def admin(project):
    (user,) = make_people(1, project, Role.ADMIN)
    client = Client()
    client.force_login(user)
    return client


def test_they_have_a_count_of_their_own(project):
    counts = count_pipeline(project)
    assert (counts.references, counts.samples, counts.groups, counts.slots) == (N_SOURCES, 0, 0, 0)
    assert count_coverage(project) == []


def test_a_summary_with_requested_values_is_a_sample(tmp_path):
    project = create_project(slug="asked", schema="macsum-doc")
    bring(project, tmp_path, attributes={"length": "short"})
    counts = count_pipeline(project)
    assert (counts.references, counts.samples) == (0, N_SOURCES)
    assert Sample.objects.requests().count() == N_SOURCES and not Sample.objects.references().exists()


def test_a_topic_alone_is_a_request_too(tmp_path):
    project = create_project(slug="topics", schema="macsum-doc")
    bring(project, tmp_path, attributes={"topic": "council"})
    assert count_pipeline(project).samples == N_SOURCES
    assert not any(sample.is_reference for sample in Sample.objects.select_related("group"))


def test_sources_with_references_only_are_drawn_from(project):
    assert dry_run(project=project, options=default_options(project)).sources == N_SOURCES
    counts = sample_attributes(project=project, options=default_options(project))
    assert counts["sources"] == N_SOURCES and counts["passed_over"] == 0
    assert count_pipeline(project).samples == counts["samples"] and count_pipeline(project).references == N_SOURCES
    positions = Sample.objects.filter(project=project).values_list("document", "position")
    assert len(set(positions)) == counts["samples"] + N_SOURCES
    again = sample_attributes(project=project, options=default_options(project))
    assert again["samples"] == 0 and again["passed_over"] == N_SOURCES


def test_the_list_of_samples_names_them_apart_and_without_a_code(project, admin):
    page = admin.get("/p/own/samples/").content.decode()
    assert "No samples yet" in page and "___" not in page
    assert "3 reference summaries came with the sources and ask for nothing." in page
    listed = admin.get("/p/own/samples/?state=references").content.decode()
    assert "d0#0" in listed and "d2#0" in listed and "___" not in listed
    sample_attributes(project=project, options=default_options(project))
    page = admin.get("/p/own/samples/").content.decode()
    assert "d0#1" in page and "d0#0" not in page and "___" not in page


def test_the_pages_of_sources_do_not_count_them(project, admin):
    page = admin.get("/p/own/sources/").content.decode()
    assert '<td class="num">0</td>' in page and '<td class="num">1</td>' not in page
    source = project.documents.get(external_id="d0")
    page = admin.get(f"/p/own/sources/{source.public_id}/").content.decode()
    assert "reference summary, asks for nothing" in page


def test_no_page_offers_a_combination_of_nothing(project, admin):
    for address in ("samples/", "annotations/", ""):
        page = admin.get(f"/p/own/{address}").content.decode()
        assert "___" not in page, address


def test_the_texts_are_kept_as_human_summaries(project):
    assert Annotation.objects.filter(project=project, origin="import").count() == N_SOURCES
