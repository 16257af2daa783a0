"""A paper with a summary for each aspect becomes three samples of the template for aspects, by one command."""

from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.models import Annotation
from annotation.services.people import projects

EXAMPLE = Path(__file__).parents[1] / "formats" / "layouts" / "aclsum.jsonl"


@pytest.mark.django_db
def test_each_summary_is_a_sample_with_its_aspect_and_its_marked_sentences():
    project = projects.create_project(slug="papers", schema="aclsum")

    call_command("import_sources", "papers", str(EXAMPLE), "--with-references", "--map", "auto", "--split", "train")

    summaries = Annotation.objects.filter(project=project).select_related("sample").order_by("pk")
    assert {
        row.sample.values["aspect"]: (row.payload["summary"], row.payload["relevant_segments"]) for row in summaries
    } == {
        "challenge": ("Piers age in salt water.", [0, 2]),
        "approach": ("They test wood for forty years.", [0]),
        "outcome": ("Wood loses strength.", [1, 3]),
    }
    assert {row.sample.split for row in summaries} <= {"", "train"}
