"""What staff see of an authorship record, and when; what the export tells of it; what a plain page has none of."""

import pytest
from django.test import Client

from annotation.models import Annotation, GuidelineReading, Project
from annotation.services.tasks import authorship
from annotation.views.tasks.task_meters import list_meter_modules, meter_messages
from tests.export import factories as make
from tests.inspection.factories import make_small_project, save_inspection, submit_summaries

pytestmark = pytest.mark.django_db
RECORD = {
    "pages": 1,
    "typed": 120,
    "deleted": 7,
    "bursts": 3,
    "longest_burst": 80,
    "pasted": {"source": 40, "outside": 240, "own": 10},
    "pastes": [{"size": 240, "origin": "outside"}, {"size": 40, "origin": "source"}, {"size": 10, "origin": "own"}],
}
NOTE = "1 large paste from outside: 240 characters."


@pytest.fixture
def world():
    project, (first,), (reviewer, _other) = make_small_project(groups=2)
    plain, pasted = submit_summaries(project, first, 2)
    Annotation.objects.filter(pk=pasted.pk).update(authorship=RECORD, outside_paste=240)
    client = Client()
    client.force_login(reviewer)
    return project, plain, pasted, reviewer, client


def test_the_list_of_summaries_shows_those_with_a_large_paste(world):
    project, plain, pasted, _reviewer, client = world
    Annotation.objects.filter(pk=plain.pk).update(outside_paste=authorship.LARGE - 1)
    page = client.get(f"/p/{project.slug}/annotations/?pasted=on").content.decode()
    assert str(pasted.public_id) in page and str(plain.public_id) not in page
    assert str(plain.public_id) in client.get(f"/p/{project.slug}/annotations/").content.decode()


def test_the_reviewer_reads_of_pastes_after_the_verdict_only(world):
    project, _plain, pasted, reviewer, client = world
    address = f"/p/{project.slug}/inspection/{pasted.public_id}/"
    response_before = client.get(address)
    assert response_before.status_code == 200 and "paste" not in response_before.content.decode().lower().replace(
        "pasted-", ""
    )
    save_inspection(pasted, reviewer)
    text_after = client.get(address).content.decode()
    assert NOTE in text_after and "30 % typed, 10 % pasted from the source, 60 % from outside." in text_after


@pytest.fixture
def exported(tmp_path, django_user_model):
    project = make.news(tmp_path, n=2)
    make.add_samples(project.documents.order_by("pk")[0])
    ann = make.make_person(project, "annotator1", django_user_model)
    row = make.write_one(project, ann)
    Annotation.objects.filter(pk=row.pk).update(authorship=RECORD)
    make.skip_one(project, ann)
    return project


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_the_export_tells_shares_only_when_it_is_asked_to(exported, tmp_path, format):
    silent = make.export(exported, tmp_path, "a." + format, format=format)
    result = make.export(exported, tmp_path, "b." + format, format=format, authorship=True)
    assert make.read_manifest(silent)["filters"]["authorship"] is False
    assert make.read_manifest(result)["filters"]["authorship"] is True
    if format == "jsonl":
        assert b"authorship" not in silent.read_bytes()
        authorships = [line["authorship"] for line in make.of_task(result, "summary")]
        fields = {"typed": 0.3, "source": 0.1, "outside": 0.6, "largest_outside": 240, "longest_burst": 80}
        assert authorships == [fields, None]


def test_minimal_assistance_sends_nothing_of_what_full_shows(writer):
    client = Client()
    client.force_login(writer.person)
    page = client.get(f"/tasks/{writer.task}/").content.decode()
    assert 'data-recorded="yes"' in page
    Project.objects.update(assistance="full")
    words = [f'"{key}"' for key in meter_messages()]
    scripts = [f"js/{name}.js" for name in list_meter_modules()]
    for hint in (*scripts, "data-proposal", "data-show-", "data-meter", *words):
        assert hint not in page, hint
    GuidelineReading.objects.update(consent=False)
    assert 'data-recorded="no"' in client.get(f"/tasks/{writer.task}/").content.decode()
