"""Studies of changed requests: drawn by seed, run like any run, compared with the outputs that were there before."""

import json
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Annotation, Candidate, Group, Membership, Role, Sample
from annotation.services.core.errors import BadInput
from annotation.services.people.projects import create_project
from annotation.services.scores import score_jobs
from epitome.systems.fakes import echo_of
from evaluation.services.changes import change_studies, change_tables
from evaluation.services.changes.change_studies import start_study
from modelbridge.models import Run, SystemOutput
from modelbridge.services.runs import outputs as run_outputs
from modelbridge.services.runs import run_worker, runs
from modelbridge.services.runs.changed_requests import change_request, changed_attribute
from modelbridge.services.runs.system_requests import request_of
from modelbridge.services.systems import systems
from tests.bridge_pages.conftest import tagger  # noqa: F401  a fixture
from tests.export.factories import add_samples, import_rows, news, row

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db_engine]
ASKED = [
    {"length": "0", "readability": "normal", "focus": "low"},
    {"length": "1", "readability": "high", "focus": "high"},
]
ECHO = '[system]\nkey = "echo"\nkind = "fake"\nname = "Echo"\n'


@pytest.fixture
def project(tmp_path, monkeypatch, settings):
    """Four papers with two samples each that ask for a keyword, and one more candidate of each paper."""
    settings.EPITOME_FAKE_SYSTEMS = True
    other_project = create_project(slug="papers", schema="ccsbench")
    import_rows(other_project, tmp_path, [row(number) for number in range(4)])
    monkeypatch.setattr("tests.export.factories.VALUES", ASKED)
    for document in other_project.documents.order_by("pk"):
        for sample in add_samples(document, n=2):
            Annotation.objects.create(
                project=other_project, sample=sample, schema_version=sample.schema_version, origin="import",
                created_at=timezone.now(), payload={"summary": " ".join(["word"] * 60), "title": ""},
            )  # fmt: skip
        Candidate.objects.create(document=document, kind="topic", text="tunnel", rank=1, extractor="test")
    Group.objects.update(chosen={"keywords": ["bridge"]})
    return other_project


@pytest.fixture
def base(project):
    """A finished run of a system that echoes its requests."""
    revision = systems.register_system(project=project, toml_text=ECHO, by=None)
    run = runs.start_run(project=project, revision=revision, by=None, seed=7, queue_it=False)
    run_worker.work_in_process(run)
    run.refresh_from_db()
    return run


@pytest.fixture
def study(base):
    return start_study(run=base, n=5, seed=3, by=None, queue_it=False)


def finish(study):
    for run in study.runs:
        run_worker.work_in_process(run)
    return change_studies.find_study(study.base, study.n, study.seed)


def rows_of(run):
    return SystemOutput.objects.filter(run=run).select_related(
        "sample__document__source_text", "sample__group", "sample__schema_version"
    )


def write_texts(run, text_of):
    """Give the outputs of a run texts: (sample, values of its request) -> text."""
    for output in rows_of(run):
        request = change_request(request_of(output.sample, run.seed), run, output.sample_id)
        SystemOutput.objects.filter(pk=output.pk).update(text=text_of(output.sample, request.values))


def test_one_run_per_attribute_changes_this_attribute_alone(base, study):
    assert [changed_attribute(run) for run in study.runs] == ["length", "keywords", "readability", "focus"]
    for run in study.runs:
        assert (run.n_samples, run.seed, run.revision_id) == (5, base.seed, base.revision_id)
        for output in rows_of(run):
            old = request_of(output.sample, run.seed)
            new = change_request(old, run, output.sample_id)
            assert [key for key in old.values if old.values[key] != new.values[key]] == [changed_attribute(run)]
    keywords = study.runs[1]
    assert set(map(tuple, keywords.options["values"].values())) == {("tunnel",)}
    assert set(study.runs[3].options["values"].values()) == {"low", "high"}


def test_the_system_is_asked_for_the_changed_value_with_the_same_seed(study):
    for run in finish(study).runs:
        assert run.state == "done"
        for output in rows_of(run):
            assert output.text == echo_of(change_request(request_of(output.sample, 7), run, output.sample_id))


def test_the_same_draw_is_the_same_study_and_another_seed_another(base, study):
    again = start_study(run=base, n=5, seed=3, by=None)
    assert [run.pk for run in again.runs] == [run.pk for run in study.runs]
    other = start_study(run=base, n=5, seed=4, by=None, queue_it=False)
    assert {run.pk for run in other.runs}.isdisjoint(run.pk for run in study.runs)
    assert [(other_study.n, other_study.seed) for other_study in change_studies.list_studies(base)] == [(5, 4), (5, 3)]


def test_a_study_goes_on_where_it_was_stopped(study):
    first = study.runs[0]
    worker = run_worker.RunWorker(first, run_worker.NoProgress())
    worker.work_batch()
    change_studies.cancel_study(study=change_studies.find_study(study.base, 5, 3), by=None)
    stopped = change_studies.find_study(study.base, 5, 3)
    assert stopped.ended and stopped.may_resume
    change_studies.resume_study(study=stopped, by=None, queue_it=False)
    assert all(run.state == "done" for run in finish(stopped).runs)


def test_what_cannot_be_compared_is_refused(project, base):
    Run.objects.filter(pk=base.pk).update(state="cancelled")
    with pytest.raises(BadInput, match="has not finished"):
        start_study(run=Run.objects.get(pk=base.pk), by=None)
    Run.objects.filter(pk=base.pk).update(state="done", over="references")
    with pytest.raises(BadInput, match="writes summaries here"):
        start_study(run=Run.objects.get(pk=base.pk), by=None)
    Run.objects.filter(pk=base.pk).update(over="")
    for answer, field in (({"n": 0}, "n"), ({"n": 10**6}, "n"), ({"seed": -1}, "seed")):
        with pytest.raises(BadInput) as refused:
            start_study(run=Run.objects.get(pk=base.pk), by=None, **answer)
        assert refused.value.field == field


def test_changed_outputs_are_measured_but_stand_beside_no_sample(project, study, tagger):  # noqa: F811
    study = finish(study)
    sample = rows_of(study.runs[0])[0].sample
    assert {item.output.run_id for item in run_outputs.for_sample(project, sample)} == {study.base.pk}
    assert change_tables.describe_waiting(project, study).startswith("20 texts are not measured yet")
    score_jobs.score_project(project=project, tagger=tagger)
    assert change_tables.describe_waiting(project, study) == ""


def write_by_request(sample, values):
    """As many words as the bin asks for (20 more in every other sample), with the keyword in every other one."""
    extra = 20 * (sample.pk % 2)
    keyword = values["keywords"][0] if sample.pk % 2 else "word"
    return " ".join([keyword, *["word"] * (int(values["length"]) * 50 + 20 + extra)])


@pytest.fixture
def client(project):
    other_client = Client()
    user = User.objects.create_user("researcher")
    Membership.objects.create(project=project, user=user, role=Role.RESEARCHER)
    other_client.force_login(user)
    return other_client


def test_the_page_shows_amplitudes_with_intervals_and_the_matrix_of_measures(client, project, study, tagger):  # noqa: F811
    study = finish(study)
    for run in (study.base, *study.runs):
        write_texts(run, write_by_request)
    score_jobs.score_project(project=project, tagger=tagger)
    url = reverse("run-changes", args=["papers", study.base.public_id])
    page = client.get(url).content.decode()
    assert page.index('id="t-metric-amplitude"') < page.index('id="t-dependency"') and page.count("<svg") > 2
    assert "F1 takes a judge" in page and "Open run" in page
    file = reverse("run-changes-file", args=["papers", study.base.public_id])
    tables = {t["key"]: t for t in json.loads(client.get(f"{file}?format=json").content)["tables"]}
    rows = {line[0]["value"]: line for line in tables["metric-amplitude"]["rows"]}
    labels = [column["label"] for column in tables["metric-amplitude"]["columns"]]
    assert labels == ["Changed", "n", "PCC", "MAD", "SR", "ΔF", "F1"]
    assert rows["Foc"][1]["value"] == 5
    assert rows["Foc"][2]["value"] == 0 and rows["Key"][4]["value"] == 0  # nothing but length and keywords moves
    assert "low" in rows["Foc"][4] and rows["Foc"][6]["value"] is None
    moved = {line[0]["value"]: line for line in tables["dependency"]["rows"]}
    assert moved["Len"][2]["value"] > 0.3 and moved["Rea"][2]["value"] == 0
    figure = client.get(f"{file}?figure=metric-amplitude&format=svg")
    assert figure["Content-Type"].startswith("image/svg") and figure.content.startswith(b"<")
    assert client.get(f"{file}?table=dependency&format=csv").status_code == 200


def judge(project, run, answer_of):
    revision = systems.register_system(
        project=project, toml_text='[system]\nkey = "judge"\nkind = "fake-judge"\n', by=None
    )
    over = f"run:{run.public_id}"
    judging = runs.start_run(
        project=project, revision=revision, by=None, over=over, options={"preset": "focus"}, queue_it=False
    )
    for output in judging.outputs.select_related("sample"):
        scores = {"label": answer_of(output.sample), "of": ""}
        judging.outputs.filter(pk=output.pk).update(state="done", text="x", finished_at=timezone.now(), scores=scores)
    Run.objects.filter(pk=judging.pk).update(state="done", finished_at=timezone.now())


def test_a_judge_reads_changed_outputs_too_and_f1_stands_where_both_were_read(project, study):
    study = finish(study)
    right = {"low": "conceptual", "high": "empirical"}
    judge(project, study.base, lambda sample: right[sample.values["focus"]])
    judge(project, study.runs[3], lambda sample: right[sample.values["focus"]])  # the system ignores the flip
    report = change_tables.build_study_report(project, study)
    rows = {line[0]["value"]: line for line in report["tables"][0]["rows"]}
    assert rows["Foc"][6]["value"] == 1 and rows["Len"][6]["value"] is None  # from 1 to 0; Len was not judged


def test_a_study_is_started_and_stopped_on_the_page(client, base):
    url = reverse("run-changes", args=["papers", base.public_id])
    assert "300" in client.get(url).content.decode()
    sent = client.post(url, {"do": "start", "n": "2", "seed": "1"})
    assert sent.status_code == 302 and sent["Location"] == f"{url}?n=2&seed=1"
    assert Run.objects.filter(over__startswith="changed:", state="queued").count() == 4
    assert client.post(url, {"do": "cancel", "n": "2", "seed": "1"}).status_code == 302
    assert Run.objects.filter(over__startswith="changed:", state="cancelled").count() == 4
    assert client.post(url, {"do": "start", "n": "0", "seed": "1"}).status_code == 422
    assert client.post(url, {"do": "cancel", "n": "9", "seed": "9"}).status_code == 404
    assert client.get(f"{url}?n=9&seed=9").status_code == 404


def test_the_command_works_on_the_same_study_here_and_now(project, base, tagger):  # noqa: F811
    out = StringIO()
    call = ("dependency_study", "papers", f"run:{base.public_id}", "--n", "3", "--seed", "2", "--format", "json")
    call_command(*call, "--measure", "ca", stdout=out, stderr=StringIO())
    (table,) = json.loads(out.getvalue())["tables"]
    assert table["key"] == "metric-amplitude" and [line[1]["value"] for line in table["rows"]] == [3, 3, 3, 3]
    n_runs = Run.objects.count()
    out = StringIO()
    call_command(*call, stdout=out, stderr=StringIO())
    assert [other_table["key"] for other_table in json.loads(out.getvalue())["tables"]] == ["dependency", "amplitude"]
    assert Run.objects.count() == n_runs
    with pytest.raises(CommandError, match="No run has the id"):
        call_command("dependency_study", "papers", "run:7", stdout=out, stderr=StringIO())


def test_scripts_start_a_study_and_read_its_tables(client, base):
    url = f"/api/v1/runs/{base.public_id}/changes/"
    started = client.post(url, {"n": 2, "seed": 5}, content_type="application/json")
    assert started.status_code == 202, started.content
    runs_of_study = started.json()["runs"]
    assert [row["attribute"] for row in runs_of_study] == ["length", "keywords", "readability", "focus"]
    for run in Run.objects.filter(over__startswith="changed:"):
        run_worker.work_in_process(run)
    (study,) = client.get(url).json()["studies"]
    assert (study["n"], study["seed"], study["ended"]) == (2, 5, True)
    assert [table["key"] for table in study["tables"]] == ["metric-amplitude", "dependency", "amplitude"]


def test_exported_lines_name_the_value_that_was_asked_for(study):
    run = finish(study).runs[0]
    for line in run_outputs.export_lines(run):
        output = SystemOutput.objects.get(
            run=run, sample__document__external_id=line["source_id"], text=line["prediction"]
        )
        assert line["attributes"]["length"] == run.options["values"][str(output.sample_id)]


def test_topics_of_meetings_and_news_come_from_another_sample_of_the_source(tmp_path, settings):
    settings.EPITOME_FAKE_SYSTEMS = True
    project = news(tmp_path)  # three sources with two samples each
    for number, group in enumerate(Group.objects.order_by("pk")):
        sample = group.samples.order_by("pk")[1]
        other = Group.objects.create(
            project=project, document=group.document, position=1, asks=[], frozen_at=timezone.now(),
            chosen={"topic": [f"roof {number}"]},
        )  # fmt: skip
        Sample.objects.filter(pk=sample.pk).update(group=other)
        Group.objects.filter(pk=group.pk).update(chosen={"topic": [f"budget {number}"]})
    revision = systems.register_system(project=project, toml_text=ECHO, by=None)
    run = runs.start_run(project=project, revision=revision, by=None, queue_it=False)
    run_worker.work_in_process(run)
    run.refresh_from_db()
    study = start_study(run=run, by=None, queue_it=False)
    assert study.n == 200
    assert [changed_attribute(other_run) for other_run in study.runs] == [
        "length",
        "extractiveness",
        "specificity",
        "topic",
    ]
    for sample, value in study.runs[3].options["values"].items():
        entry = Sample.objects.get(pk=sample).group.chosen["topic"][0]
        assert value == [entry.replace("roof", "x").replace("budget", "roof").replace("x", "budget")]


def test_tables_wait_for_every_run(client, study):
    page = client.get(reverse("run-changes", args=["papers", study.base.public_id])).content.decode()
    assert "The tables appear when every run has ended." in page and "<table" in page and "t-dependency" not in page
