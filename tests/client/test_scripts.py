"""The scripts of docs/client.md, run against a live server, print what the page says."""

import shutil

import pytest
from django.contrib.auth.models import User

from annotation import jobs
from annotation.models import Annotation, Membership, Project
from annotation.services.accounts import api_tokens
from epitome.client import session
from modelbridge.models import SystemOutput
from tests.guards.checkout import ROOT
from tests.library.snippets import Snippet, read_snippets
from tests.tasks.factories import pass_gate

SCRIPTS = read_snippets(ROOT / "docs" / "client.md")
TITLES = [
    "Import sources",
    "Draw samples and follow the job",
    "An annotating bot",
    "Run a system",
    "Export a dataset and load it",
    "Launch a round and download its judgements",
]


@pytest.fixture
def tokens(transactional_db) -> dict[str, str]:
    """Of an admin of the site and of an annotator; rater1 needs none."""
    people = [User.objects.create_superuser("admin"), User.objects.create(username="annotator1")]
    User.objects.create(username="rater1")
    return {person.username: api_tokens.create_token(user=person, name="script", scope="write")[1] for person in people}


@pytest.fixture
def _worker(monkeypatch):
    """While the client waits for a job, the jobs that are due are done."""

    def work_instead(seconds: float) -> None:
        for job_id, _queue in jobs.list_open_jobs():
            jobs.run_job(job_id)

    monkeypatch.setattr(session, "sleep", work_instead)


def run_script(script: Snippet, capsys) -> str:
    capsys.readouterr()
    exec(compile(script.code, script.title, "exec"), {"__name__": "__main__"})
    return capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.usefixtures("_worker")
def test_the_scripts_do_what_the_page_says(live_server, tokens, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EPITOME_URL", live_server.url)
    shutil.copy(ROOT / "annotation" / "example" / "documents.jsonl", tmp_path)
    assert [script.title for script in SCRIPTS] == TITLES
    for script in SCRIPTS:
        writer = "annotator1" if script.title == "An annotating bot" else "admin"
        monkeypatch.setenv("EPITOME_TOKEN", tokens[writer])
        assert run_script(script, capsys) == script.printed, script.title
        if script.title == "Draw samples and follow the job":
            pass_gate(Project.objects.get(slug="ferry"), User.objects.get(username="annotator1"))

    project = Project.objects.get(slug="ferry")
    assert Annotation.objects.filter(project=project, assignment__annotator__username="annotator1").count() == 5
    assert SystemOutput.objects.filter(project=project, state="done").count() == 5
    assert Membership.objects.filter(project=project, user__username="rater1").exists()
    assert (tmp_path / "ferry.jsonl").stat().st_size > 1000
