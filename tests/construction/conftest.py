"""Projects with papers, and a chat model that answers by rule."""

import pytest

from annotation.jobs import NoProgress
from annotation.services.people.projects import create_project
from annotation.services.sources.papers import PaperOptions, import_papers
from modelbridge.services.construction import step_worker, steps
from modelbridge.services.systems import systems
from tests.construction.make_papers import list_papers, write_papers
from tests.construction.rule_server import RuleServer

TOML = """
[system]
key = "rewriter"
kind = "chat-rewrite"
[options]
server = "lab"
model = "tiny"
concurrency = 3
attempts = 1
[options.price]
input = 2.0
output = 8.0
currency = "EUR"
"""


@pytest.fixture
def server(monkeypatch, settings):
    rule_server = RuleServer()
    monkeypatch.setenv("EPITOME_CHAT_SERVERS", f"lab={rule_server.base}")
    settings.EPITOME_CHAT_SERVERS = ["lab"]
    yield rule_server
    rule_server.close()


def make_project(folder, n=20, slug="papers"):
    project = create_project(slug=slug, schema="ccsbench")
    path = write_papers(folder / "papers.jsonl", list_papers(n))
    import_papers(project=project, files=[(path, path.name)], options=PaperOptions(), progress=NoProgress())
    return project


@pytest.fixture
def project(tmp_path):
    return make_project(tmp_path)


@pytest.fixture
def rewriter(project, server):
    return systems.register_system(project=project, toml_text=TOML, by=None)


@pytest.fixture
def run_step(project, rewriter):
    """Start or resume a step and work on it here and now."""

    def run(key, seed=7, **options):
        step = steps.start_step(
            project=project, key=key, revision=rewriter, options=options, seed=seed, by=None, queue_it=False
        )
        step_worker.work_in_process(step)
        step.refresh_from_db()
        return step

    return run


@pytest.fixture
def constructed(run_step):
    """Every step, in order."""
    return {key: run_step(key) for key in ("readability", "focus", "keywords", "length", "splits", "compositional")}
