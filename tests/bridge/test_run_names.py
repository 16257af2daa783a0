"""A run is found by its id, the beginning of it, or the key of its system."""

import uuid

import pytest

from annotation.services.core.errors import BadInput
from modelbridge.models import Run
from modelbridge.services.runs.run_names import complete_over, find_named_run
from tests.rounds.factories import make_run, project_with_gold

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]


def test_a_run_is_found_by_id_beginning_and_key():
    project = project_with_gold(documents=1)
    lead, random = make_run(project, "lead"), make_run(project, "random")
    Run.objects.filter(pk=lead.pk).update(public_id=uuid.UUID("aaaa0000-1111-4222-8333-444444444444"))
    Run.objects.filter(pk=random.pk).update(public_id=uuid.UUID("aaaa0001-1111-4222-8333-444444444444"))
    rows = Run.objects.filter(project=project)

    def found(name):
        run = find_named_run(rows, name)
        return run.revision.system.key if run else None

    whole = "aaaa0001-1111-4222-8333-444444444444"
    assert [found(name) for name in (whole, f"run:{whole}", whole[:13], "aaaa0001", "random")] == ["random"] * 5
    assert (found("AAAA0000"), found("run:lead")) == ("lead", "lead")
    assert [found(name) for name in ("aaa", "bbbb", "nothing", "")] == [None] * 4
    with pytest.raises(BadInput, match="Several runs"):
        found("aaaa")
    assert complete_over(project, "run:lead") == "run:aaaa0000-1111-4222-8333-444444444444"
    assert [complete_over(project, over) for over in ("references", "run:none", "")] == ["references", "run:none", ""]
