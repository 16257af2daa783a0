"""The last stages of the overview's pipeline: what was drawn for inspection and inspected, and the last export."""

import pytest

from annotation.jobs import run_job
from annotation.models import InspectionSample, Role
from annotation.services.exports import exporting
from annotation.services.staff.dashboard import count_stages
from tests.inspection.factories import WEEK, make_small_project, save_inspection, submit_summaries
from tests.tasks.factories import make_people

pytestmark = pytest.mark.django_db


def test_an_inspection_of_a_summary_that_was_not_drawn_does_not_count_as_a_drawn_one():
    project, (annotator,), (reviewer, _other) = make_small_project()
    drawn, also_drawn, not_drawn = submit_summaries(project, annotator, 3)
    for annotation in (drawn, also_drawn):
        InspectionSample.objects.create(
            project=project, annotation=annotation, annotator=annotator, week=WEEK, seed="1"
        )
    for annotation in (drawn, not_drawn):
        save_inspection(annotation, reviewer)
    stages = count_stages(project)
    assert (stages.inspected, stages.to_inspect) == (1, 2)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("release", [None, "v1.0"])
def test_the_last_export_tells_how_many_summaries_it_wrote(release):
    project, (annotator,), _reviewers = make_small_project()
    (admin,) = make_people(1, project, Role.ADMIN)
    submit_summaries(project, annotator, 2)
    assert count_stages(project).exported_at is None
    job = exporting.start_export(project=project, options=exporting.ExportOptions(release=release), by=admin)
    run_job(job.pk)
    stages = count_stages(project)
    assert stages.exported == 2
    assert stages.exported_at is not None
