"""Grids of trainings on the pages: started, compared on dev, cancelled; and what a failed one says to change."""

import pytest
from django.urls import reverse

from annotation.jobs import NoProgress
from annotation.models import Job
from annotation.services.core.errors import BadInput, Conflict, NotFound
from annotation.services.people.projects import create_project
from epitome.training.config import parse_training
from epitome.training.watching import DevText
from modelbridge.models import TrainingGroup, TrainingRun
from modelbridge.services.training import groups, training

GRID = ["learning_rate=1e-5,3e-5,1e-4"]


@pytest.fixture
def start(project, monkeypatch):
    """A function that starts a grid over the project's summaries, some of them for dev."""
    monkeypatch.setattr(training, "missing_libraries", lambda: "")
    project.documents.update(split="train")
    project.documents.filter(position=0).update(split="dev")
    return lambda grid=GRID, by=None: groups.start_group(project=project, toml_text="tiny-hp", grid=grid, by=by)


def evaluate(run, *scores):
    for step, score in enumerate(scores, 1):
        run.metrics.create(step=10 * step, split="dev", values={"selection": score, "rouge_r1": 0.3})


def test_every_cell_is_a_training_with_its_own_rate_key_and_job(start):
    group = start()
    rows = list(group.trainings.order_by("pk"))

    assert [row.key for row in rows] == ["tiny-hp-learning-rate-1e-05", "tiny-hp-learning-rate-3e-05",
                                         "tiny-hp-learning-rate-0-0001"]  # fmt: skip
    schema = training.schema_of(group.project)
    configs = [parse_training(row.config_toml, "a.toml", training.folder_of(row), schema=schema) for row in rows]
    assert [config.optimisation.learning_rate for config in configs] == [1e-5, 3e-5, 1e-4]
    assert group.axes == {"optimisation.learning_rate": [1e-5, 3e-5, 1e-4]}
    assert Job.objects.filter(kind="train").count() == 3


def test_the_lowest_score_on_dev_wins(start):
    group = start()
    for run, scores in zip(group.trainings.order_by("pk"), [(0.9, 0.8), (0.7, 0.75), ()], strict=True):
        evaluate(run, *scores)

    members = groups.list_members(group)
    winner = groups.find_winner(members)
    assert [member.best for member in members] == [0.8, 0.7, None]
    assert winner.label == "learning_rate 3e-05" and winner.curve == ((10, 0.7), (20, 0.75))


def test_a_grid_counts_as_one_job_of_its_person(start, settings, django_user_model):
    settings.EPITOME_JOBS_AT_ONCE = 2
    group = start(by=django_user_model.objects.create_user("ann"))
    assert group.trainings.count() == 3


@pytest.mark.parametrize(
    ("grid", "why"),
    [
        (["learning_rate"], "is not SETTING=VALUE"),
        (["optimisation.selection=loss,cer-rouge"], "cannot vary"),
        (["learning_rate=2e-5,fast"], "learning_rate"),
    ],
)
def test_a_grid_that_cannot_be_trained_stores_nothing(start, grid, why):
    with pytest.raises(BadInput, match=why):
        start(grid)
    assert not TrainingRun.objects.exists() and not TrainingGroup.objects.exists()


def test_a_grid_needs_dev_samples(start, project):
    project.documents.update(split="train")
    with pytest.raises(BadInput, match="needs dev samples"):
        start()


def test_a_second_grid_of_the_same_keys_is_refused(start):
    start()
    with pytest.raises(Conflict):
        start()


def test_a_grid_of_another_project_is_not_found(start, project):
    group = start()
    other = create_project(slug="other", schema="macsum-doc")
    with pytest.raises(NotFound):
        groups.group_of(other, group.public_id)


def test_the_page_shows_curves_side_by_side_and_the_winner(client, project, start):
    group = start()
    for run, scores in zip(group.trainings.order_by("pk"), [(0.9, 0.8), (0.7, 0.75), (0.95,)], strict=True):
        evaluate(run, *scores)
    page = reverse("training-group", args=[project.slug, group.public_id])

    text = client.get(page).content.decode()
    assert "Best so far: learning_rate 3e-05" in text and "Lowest score on dev: 0.7" in text
    assert text.count("best so far") == 1
    assert "learning_rate 1e-05: 0.8; learning_rate 3e-05: 0.7" in text  # the drawing in words
    assert 'id="t-curves"' in text and ".7500" in text

    TrainingRun.objects.update(state="cancelled")
    ended = client.get(page).content.decode()
    assert "Winner: learning_rate 3e-05" in ended and "Cancel all" not in ended


def test_a_grid_is_started_listed_and_cancelled_on_the_pages(client, project, start):
    answer = client.post("/p/runs/trainings/", {"toml": "tiny-hp", "grid": "learning_rate=1e-5, 3e-5\n"}, follow=True)
    group = TrainingGroup.objects.get()
    assert "2 trainings that differ only in the settings below." in answer.content.decode()
    page = reverse("training-group", args=[project.slug, group.public_id])
    assert page in client.get("/p/runs/trainings/").content.decode()

    text = client.post(page, {"do": "cancel"}, follow=True).content.decode()
    assert "2 trainings cancelled." in text
    assert set(group.trainings.values_list("state", flat=True)) == {"cancelled"}


def test_a_training_shows_how_the_same_dev_samples_improve(client, project):
    run = TrainingRun.objects.create(project=project, key="hp", name="HP", method="hp", state="running")
    watch = training.RowWatch(run, NoProgress())
    values = {"length": "short", "topic": ("the bridge", "the vote"), "speaker": ()}
    for step in range(10, 90, 10):
        watch.texts(step, [DevText("d0#1", values, f"text after {step} <b>", "human text")])
    evaluate(run, 0.9, 0.8)

    text = client.get(f"/p/runs/trainings/{run.public_id}/").content.decode()
    assert "text after 10 &lt;b&gt;" in text and "text after 80 &lt;b&gt;" in text and "human text" in text
    assert text.count("text after") == 6 and "<bdi>the bridge</bdi>, <bdi>the vote</bdi>" in text
    assert "Score on dev (lower is better)" in text

    watch.resumed(20)
    assert sorted(run.texts.values_list("step", flat=True)) == [10, 20]
    watch.texts(20, [DevText("d0#1", values, "written anew", "human text")])
    assert run.texts.get(step=20).text == "written anew"


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        ("memory ran out with batch_size = 6. To fit: batch_size = 3 with accumulation = 8", "the changed settings"),
        ('there are no weights "facebook/bart"; looked at /data/models', "Put their folder below EPITOME_MODELS_DIR"),
        ("torch is not installed; install it with: make install-models", "lacks libraries"),
        ("something new", ""),
    ],
)
def test_a_failed_training_says_what_to_change(client, project, error, remedy):
    run = TrainingRun.objects.create(project=project, key="hp", name="HP", method="hp", state="failed", error=error)
    text = client.get(f"/p/runs/trainings/{run.public_id}/").content.decode()
    assert ("What to change" in text) is bool(remedy)
    assert remedy in text
