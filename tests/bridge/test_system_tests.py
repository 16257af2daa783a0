"""A test of a system on one sample shows what it does, and is in no list, table or choice."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Draw, Group, Role, Sample
from annotation.services.core.errors import BadInput
from annotation.services.sampling import draw_undo
from epitome.rounds.config import Target
from evaluation.services.rounds.round_material import find_run
from modelbridge.models import Run, SystemOutput
from modelbridge.services.runs.system_tests import delete_old_tests
from tests.tasks.factories import make_people

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(project):
    (user,) = make_people(1, project, Role.ADMIN)
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def test_run(echo, start_run, work_off):
    return work_off(start_run(echo, is_test=True, label="Test on one sample"))


def test_it_writes_one_text(test_run, admin):
    (output,) = test_run.outputs.all()
    assert test_run.state == "done" and output.text
    page = admin.get(f"/p/news/runs/{test_run.public_id}/").content.decode()
    assert "Input and output" in page and "is deleted after a day" in page and "Works on" not in page


def test_it_is_in_no_list(test_run, admin):
    system = test_run.revision.system
    for name in ("runs", "runs-compare", "rounds"):
        page = admin.get(reverse(name, args=["news"]))
        assert page.status_code == 200 and str(test_run.public_id) not in page.content.decode(), name
    for address in (reverse("system", args=["news", system.public_id]), f"{reverse('search')}?q=Test+on&project=news"):
        page = admin.get(address)
        assert page.status_code == 200 and str(test_run.public_id) not in page.content.decode(), address
    assert admin.get("/api/v1/projects/news/runs/").json()["results"] == []


def test_no_table_and_no_target_takes_it(project, test_run):
    assert not Run.objects.writing().exists() and not Run.objects.texts().exists()
    with pytest.raises(BadInput, match="no finished run"):
        find_run(project, Target("echo", "run", system="echo"))
    with pytest.raises(BadInput, match="no run"):
        find_run(project, Target("echo", "run", run=str(test_run.public_id)))


def test_it_chooses_a_sample_that_asks_for_something(project, echo, start_run):
    first = Sample.objects.order_by("document_id", "position")[0]
    Group.objects.filter(pk=first.group_id).update(asks=[])
    Sample.objects.filter(pk=first.pk).update(sampler="import", values={}, combination="___")
    run = start_run(echo, is_test=True)
    (output,) = run.outputs.select_related("sample")
    assert output.sample.values


def test_it_goes_after_a_day(echo, start_run):
    old, new, kept = start_run(echo, is_test=True), start_run(echo, is_test=True), start_run(echo)
    Run.objects.filter(pk__in=[old.pk, kept.pk]).update(created_at=timezone.now() - timedelta(hours=25))
    assert delete_old_tests() == 1
    assert set(Run.objects.values_list("pk", flat=True)) == {new.pk, kept.pk}
    assert not SystemOutput.objects.filter(run=old.pk).exists()
    assert delete_old_tests() == 0


def test_a_tested_sample_does_not_keep_its_draw(project, test_run):
    draw = Draw.objects.create(project=project)
    Sample.objects.filter(project=project).update(draw=draw)
    draw_undo.undo_draw(draw=draw, by=None)
    assert not Run.objects.exists() and not Sample.objects.filter(project=project).exists()


def test_a_system_that_reads_texts_is_not_tested_so(echo, start_run):
    with pytest.raises(BadInput, match="can be tested on one sample"):
        start_run(echo, is_test=True, over="references")
