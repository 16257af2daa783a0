"""Runs whose system is shown worked examples: drawn from the project once, and removed with a withdrawal."""

import pytest

from annotation.models import Project, Sample, SourceDocument
from annotation.services.core.errors import BadInput
from annotation.services.withdrawal.texts import TEXT_HOLDERS
from modelbridge.models import SystemOutput
from modelbridge.services.runs.references import references_of
from modelbridge.services.systems import systems
from tests.chat.stub import Stub, completion
from tests.export.factories import make_person, write_one

pytestmark = pytest.mark.django_db(transaction=True)

TOML = """
[system]
key = "shown"
kind = "chat"
[options]
server = "lab"
model = "tiny"
[options.examples]
n = 2
split = "{split}"
seed = {seed}
"""


@pytest.fixture
def stub(monkeypatch, settings):
    other_stub = Stub()
    other_stub.answer = lambda asked: completion("A summary.")
    monkeypatch.setenv("EPITOME_CHAT_SERVERS", f"lab={other_stub.base}")
    settings.EPITOME_CHAT_SERVERS = ["lab"]
    yield other_stub
    other_stub.close()


@pytest.fixture
def written(project, django_user_model):
    """Who wrote a summary of every sample; all sources are of the split train."""
    SourceDocument.objects.filter(project=project).update(split="train")
    writer = make_person(project, "annotator1", django_user_model)
    for number in range(Sample.objects.filter(project=project).count()):
        write_one(project, writer, f"Summary {number}.")
    return writer


def register(project, split="train", seed=7):
    return systems.register_system(project=project, toml_text=TOML.format(split=split, seed=seed), by=None)


def test_each_output_is_shown_two_examples_of_other_sources(project, written, stub, start_run, work_off):
    run = work_off(start_run(register(project)))
    assert run.state == "done", run.error
    drawn = Sample.objects.in_bulk(run.notes["examples"])
    assert len(drawn) == 3 and len({sample.document_id for sample in drawn.values()}) == 3
    for row in SystemOutput.objects.filter(run=run).select_related("sample__document"):
        examples = row.decoding["examples"]
        assert len(examples) == 2
        assert row.sample.document.external_id not in {name.rpartition("#")[0] for name in examples}
        assert row.prompt.count("[assistant]") == 2
    assert {len(item["messages"]) for item in stub.asked} == {6}


def test_the_seed_is_part_of_the_revision_and_of_the_draw(project, written, start_run):
    first, second = register(project), register(project, seed=8)
    assert (first.number, second.number) == (1, 2)
    drawn = [start_run(revision).notes["examples"] for revision in (first, second, first)]
    assert drawn[0] == drawn[2] != drawn[1]


def test_a_project_without_enough_summaries_is_told_when_the_run_starts(project, written, start_run):
    with pytest.raises(BadInput, match=r"2 worked examples need 3 sources of the split 'dev'.* there are 0"):
        start_run(register(project, split="dev"))


def test_a_withdrawal_empties_the_prompts_that_showed_a_summary(project, written, stub, start_run, work_off):
    run = work_off(start_run(register(project, seed=9)))  # its own process: the server is another than before
    holder = next(holder for holder in TEXT_HOLDERS if holder.name == "model_prompts")
    projects = Project.objects.filter(pk=project.pk)
    assert holder.count(projects, written.pk) == run.n_samples
    holder.empty(projects, written.pk)
    assert not SystemOutput.objects.filter(run=run).exclude(prompt="").exists()
    assert references_of(project)  # emptied by another holder
