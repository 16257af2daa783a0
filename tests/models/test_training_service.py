"""Trainings in a project: started, worked on as a job, followed, called off and resumed."""

from unittest.mock import patch

import pytest

from annotation.jobs import run_job
from annotation.jobs.progress import JobLost
from annotation.models import Job, JobState, Role
from annotation.services.core.errors import BadInput, Conflict, NotFound
from annotation.services.people.projects import create_project
from annotation.services.sources.importing import import_file
from epitome.formats.options import ImportOptions
from modelbridge.models import TrainingMetric, TrainingRun, TrainingState
from modelbridge.services.training import training
from tests.models import tiny
from tests.models.training_text import short_training_text
from tests.tasks.factories import make_people

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(tmp_path, settings):
    settings.EPITOME_JOB_LEASE_SECONDS = 3600
    other_project = create_project(slug="tiny", schema="macsum-doc", name="Tiny")
    for split, count in (("train", 6), ("dev", 3)):
        file = tiny.write(tmp_path / f"{split}.json", count, seed=count)
        import_file(
            project=other_project,
            path=file,
            file_name=file.name,
            options=ImportOptions(with_references=True, split=split),
        )
    return other_project


@pytest.fixture
def present(monkeypatch):
    """As where the libraries are installed."""
    monkeypatch.setattr(training, "missing_libraries", lambda: "")


def work(run):
    with patch("annotation.jobs.running.close_old_connections"), patch("annotation.jobs.running.send_hint"):
        run_job(run.job_id)
    run.refresh_from_db()
    return run


@pytest.mark.models
def test_a_training_becomes_a_system_of_the_project_with_its_metrics(project):
    run = work(training.start_training(project=project, toml_text=short_training_text(), by=None))

    assert (run.state, run.step, run.steps) == (TrainingState.DONE, 4, 4), run.error
    assert run.revision.system.key == "tiny" and run.revision.kind == "seq2seq"
    assert run.result["n_train"] == 6 and run.result["n_dev"] == 3
    rows = training.metrics_of(run)
    assert [row["step"] for row in rows if row["split"] == "train"] == [1, 2, 3, 4]
    assert [row["step"] for row in rows if row["split"] == "dev"] == [2, 4]
    assert {"selection", "cer_length", "rouge_r1"} <= set(training.metrics_of(run, "dev")[0])


@pytest.mark.models
def test_a_training_starts_from_an_earlier_one_by_its_key(project):
    first = work(training.start_training(project=project, toml_text=short_training_text(), by=None))

    second = work(
        training.start_training(project=project, toml_text=short_training_text("next", base="training:tiny"), by=None)
    )

    assert second.state == TrainingState.DONE, second.error
    assert str(training.folder_of(first)) in second.revision.config_toml


@pytest.mark.models
def test_a_training_whose_worker_is_lost_goes_on_from_its_checkpoint(project):
    run = training.start_training(project=project, toml_text=short_training_text(), by=None)
    stored = training.RowWatch.metrics

    def lose(self, step, split, values):
        stored(self, step, split, values)
        if step == 3:
            raise JobLost("the worker was lost")

    with patch.object(training.RowWatch, "metrics", lose):
        work(run)
    assert run.state == TrainingState.RUNNING
    Job.objects.filter(pk=run.job_id).update(state=JobState.QUEUED, lease_until=None)

    work(run)

    assert run.state == TrainingState.DONE, run.error
    assert run.result["resumed_from"] == 2
    assert TrainingMetric.objects.filter(run=run, split="train").count() == 4


def test_without_the_libraries_it_is_told_what_to_install(project, monkeypatch):
    monkeypatch.setattr(training, "missing_libraries", lambda: "torch")

    with pytest.raises(BadInput, match=r'torch.*pip install "epitome\[models\]"'):
        training.start_training(project=project, toml_text=short_training_text(), by=None)

    assert not TrainingRun.objects.exists()


def test_a_fault_in_the_configuration_names_its_line(project, present):
    with pytest.raises(BadInput) as error:
        training.start_training(project=project, toml_text=short_training_text(batch_sise=3), by=None)

    assert "batch_size" in error.value.message


def test_a_second_training_of_a_key_waits_for_the_first(project, present):
    training.start_training(project=project, toml_text=short_training_text(), by=None)

    with pytest.raises(Conflict):
        training.start_training(project=project, toml_text=short_training_text(), by=None)


def test_a_training_that_was_called_off_can_be_resumed(project, present):
    run = training.start_training(project=project, toml_text=short_training_text(), by=None)

    training.cancel_training(run=run, by=None)
    assert run.state == TrainingState.CANCELLED
    assert Job.objects.get(pk=run.job_id).state == JobState.CANCELLED

    training.resume_training(run=run, by=None)
    assert run.state == TrainingState.QUEUED
    assert Job.objects.get(pk=run.job_id).state == JobState.QUEUED


def test_another_projects_training_is_not_found(project, present):
    run = training.start_training(project=project, toml_text=short_training_text(), by=None)
    other = create_project(slug="other", schema="macsum-doc", name="Other")

    assert training.training_of(project, run.public_id) == run
    with pytest.raises(NotFound):
        training.training_of(other, run.public_id)


@pytest.mark.models
def test_a_project_without_a_train_split_is_refused_with_the_reason():
    bare = create_project(slug="bare", schema="macsum-doc", name="Bare")

    with pytest.raises(BadInput, match="No source in the split train has a human summary"):
        training.start_training(project=bare, toml_text=short_training_text(), by=None)

    assert not TrainingRun.objects.exists()


def test_adapters_from_elsewhere_are_refused(project, present, tmp_path):
    (researcher,) = make_people(1, project, Role.RESEARCHER)
    text = (
        '[training]\nkey = "hub"\nmethod = "lorahub"\nschema = "macsum-doc"\nbase = "some/model"\n'
        f'[adapters]\nfirst = "{tmp_path}"\nsecond = "{tmp_path}"\n'
    )

    run = work(training.start_training(project=project, toml_text=text, by=researcher))

    assert run.state == TrainingState.FAILED
    assert f'"{tmp_path}" is none of the weights that this project may use' in run.error


def combining_text(key, method, tables=""):
    return (
        f'[training]\nkey = "{key}"\nmethod = "{method}"\nschema = "macsum-doc"\nbase = "training:tiny"\n{tables}'
        '[optimisation]\ndevice = "cpu"\nsteps = 2\nevaluate_every = 2\nbatch_size = 4\naccumulation = 1\n'
        "warmup_steps = 0\n[decoding]\nbeams = 1\nmax_tokens = 8\nmin_tokens = 0\n"
    )


@pytest.mark.models
@pytest.mark.parametrize(
    ("single", "combined", "told"), [("lora", "lorahub", "search"), ("adapter", "adapter-fusion", "attention")]
)
def test_trained_adapters_of_a_project_are_combined_by_their_keys(project, single, combined, told):
    (researcher,) = make_people(1, project, Role.RESEARCHER)

    def learn(text):
        run = work(training.start_training(project=project, toml_text=text, by=researcher))
        assert run.state == TrainingState.DONE, run.error
        return run

    learn(short_training_text())
    for name in ("one", "two"):
        learn(combining_text(name, single))
    search = "[search]\nbudget = 4\nexamples = 2\n" if combined == "lorahub" else ""
    adapters = '[adapters]\none = "training:one"\ntwo = "training:two"\n'

    run = learn(combining_text("both", combined, adapters + search))

    assert run.revision.kind == {"lorahub": "lora", "adapter-fusion": "adapter-fusion"}[combined]
    assert run.result[told]
    rows = training.metrics_of(run, "train")
    if combined == "lorahub":
        assert [row["step"] for row in rows] == [1, 2, 3, 4]
        assert {"objective", "weight_one", "weight_two"} <= set(rows[0])
    assert training.metrics_of(run, "dev")
