"""Rankers trained in a project: started by page or service, worked on as a job, run over the lists, in the tables."""

import json
from unittest.mock import patch

import pytest
from django.urls import reverse

from annotation.jobs import run_job
from annotation.models import Membership
from annotation.services.core.errors import BadInput
from epitome.systems.ranking.features import EMBEDDINGS, FEATURES
from evaluation.services.aggregations import rank_tables
from evaluation.services.aggregations.ranking_lists import make_ranking_lists
from modelbridge.models import TrainingRun, TrainingState
from modelbridge.services.training import training
from tests.rankings.factories import freeze, make_aggregation_project, make_ranked_project
from tests.rankings.test_rank_runs import rank_here, run_command

pytestmark = pytest.mark.django_db
LEARNED = "background-count"


@pytest.fixture
def project():
    return make_ranked_project()


@pytest.fixture
def researcher(client, django_user_model, project):
    user = django_user_model.objects.create_user("researcher")
    Membership.objects.create(user=user, project=project, role="researcher")
    client.force_login(user)
    return client


def work(run):
    with patch("annotation.jobs.running.close_old_connections"), patch("annotation.jobs.running.send_hint"):
        run_job(run.job_id)
    run.refresh_from_db()
    assert run.state == TrainingState.DONE, run.error
    return run


@pytest.fixture
def trained(project):
    return work(training.start_training(project=project, toml_text="rank-logistic", by=None))


def test_a_ranker_is_trained_from_the_page_without_the_libraries_for_weights(researcher, project, monkeypatch):
    monkeypatch.setattr(training, "missing_libraries", lambda: "torch")
    monkeypatch.setattr("modelbridge.views.training.trainings.missing_libraries", lambda: "torch")
    address = reverse("trainings", args=[project.slug])
    page = researcher.get(f"{address}?from=rank-logistic").content.decode()
    assert "ranking lists of the release v1" in page and "disabled" not in page.split('id="start-title"')[1]

    answer = researcher.post(address, {"toml": "rank-logistic"})
    run = work(TrainingRun.objects.get())

    assert answer.url == reverse("training", args=[project.slug, run.public_id])
    assert run.method == "rank-logistic" and run.result["n_train"] > 0
    page = researcher.get(answer.url).content.decode()
    assert "Weights of the features" in page and LEARNED in page and "no word vectors were given" in page
    assert "ranking, logistic regression" in page


def test_without_lists_the_page_and_the_service_say_where_they_are_made(client, django_user_model):
    project = make_aggregation_project(3, slug="nolists")
    user = django_user_model.objects.create_user("researcher")
    Membership.objects.create(user=user, project=project, role="researcher")
    client.force_login(user)
    page = client.get(reverse("trainings", args=[project.slug])).content.decode()
    assert "No training data yet" in page and "ranking lists of a release" in " ".join(page.split())
    with pytest.raises(BadInput, match="No release has ranking lists yet"):
        training.start_training(project=project, toml_text="rank-logistic", by=None)


def test_the_trained_ranker_is_run_over_the_lists_and_stands_in_the_tables(project, trained, researcher):
    assert trained.revision.system.key == "rank-logistic" and trained.revision.kind == "rank-logistic"
    run = rank_here(project, "", toml=trained.revision.config_toml)
    assert run.revision == trained.revision
    random = rank_here(project, "rank-random")

    report = rank_tables.build_tables(project, rank_tables.read_report(project, [run, random]))
    table, weights = report["tables"][:2]
    rows = {row[0]["value"]: row[1] for row in table["rows"]}
    assert rows[f"{trained.name} (r1)"]["value"] > rows["Random order (r1)"]["value"]
    assert weights["key"] == "weights-rank-logistic"
    stored = {row["feature"]: row for row in trained.result["weights"]}
    cells = {row[0]["value"]: row[1] for row in weights["rows"]}
    assert list(cells) == list(FEATURES)
    assert cells[LEARNED]["value"] == stored[LEARNED]["weight"]
    assert (cells[LEARNED]["low"], cells[LEARNED]["high"]) == (stored[LEARNED]["low"], stored[LEARNED]["high"])
    assert all(cells[name]["undefined"] == "no word vectors were given" for name in EMBEDDINGS)

    page = researcher.get(reverse("rankings", args=[project.slug])).content.decode()
    assert f"Weights of {trained.name}" in page
    file = reverse("rankings-file", args=[project.slug]) + "?table=weights-rank-logistic&format=csv"
    assert f"\r\n{LEARNED},{stored[LEARNED]['weight']:.10g}," in researcher.get(file).content.decode()
    assert LEARNED in run_command("rank_report", project.slug, str(run.public_id))


def test_a_ranker_trained_by_the_command_is_run_in_the_project(project, tmp_path):
    lists = tmp_path / "lists.jsonl"
    run_command("make_ranking_lists", project.slug, "v1", "--output", str(lists))
    folder = tmp_path / "trained"
    run_command("train_system", "rank-logistic", "--lists", str(lists), "--output", str(folder))
    run = rank_here(project, "", toml=(folder / "system.toml").read_text())
    assert run.outputs.filter(state="done").count() == run.n_samples == 24

    weights = rank_tables.read_report(project, [run]).weights
    assert len(weights) == 1 and "trained elsewhere" in weights[0].notes[1]
    learned = json.loads((folder / "result.json").read_text())["weights"]
    values = {row[0].value: row[1].value for row in weights[0].rows}
    assert values[LEARNED] == next(row["weight"] for row in learned if row["feature"] == LEARNED)
    assert values["all-embedding"] == 0


def test_systems_that_learned_no_weights_have_no_such_table(project):
    run = rank_here(project, "rank-frequency")
    assert not rank_tables.read_report(project, [run]).weights


def test_runs_of_several_releases_get_an_answer_on_the_page(project, researcher):
    first = rank_here(project, "rank-random")
    freeze(project, "v2")
    make_ranking_lists(project=project, tag="v2", by=None)
    second = rank_here(project, "rank-frequency", over="ranking:v2")
    address = reverse("rankings", args=[project.slug])

    both = researcher.get(address, {"run": [first.public_id, second.public_id], "split": "test"})

    page = both.content.decode()
    assert both.status_code == 422 and "one release can be compared, not of: v1, v2" in page
    assert page.count("checked") == 2 and "Show tables" in page
    assert "no such run" not in page
    unknown = researcher.get(address, {"run": "7c5a8d5e-0000-4000-8000-000000000000"})
    assert unknown.status_code == 422 and "Show tables" in unknown.content.decode()
    file = researcher.get(reverse("rankings-file", args=[project.slug]), {"run": [first.public_id, second.public_id]})
    assert file.status_code == 400
