"""Projects with samples, and systems that echo."""

from unittest.mock import patch

import pytest

from annotation.jobs import run_job
from annotation.models import SourceText
from epitome.systems.fakes import echo_of
from epitome.systems.protocol import DEFAULT_BATCH
from modelbridge.models import SystemOutput
from modelbridge.services.runs import runs
from modelbridge.services.runs.system_processes import HOSTS
from modelbridge.services.runs.system_requests import request_of
from modelbridge.services.systems import systems
from tests.export.factories import news


@pytest.fixture(autouse=True)
def _bridge(settings, monkeypatch):
    """Systems for tests may be registered, and every test finds those loaded that it shares with others."""
    settings.EPITOME_FAKE_SYSTEMS = True
    monkeypatch.setattr(HOSTS, "capacity", 6)
    yield
    for key in [key for key, host in HOSTS.loaded.items() if host.limit < DEFAULT_BATCH]:
        HOSTS.loaded.pop(key).close()  # it ran out of memory in this test: the next one begins with whole batches


def fake_toml(**options):
    text = "\n".join(f"{key} = {value!r}".replace("'", '"') for key, value in options.items())
    return f'[system]\nkey = "echo"\nkind = "fake"\nname = "Echo"\n[options]\n{text}\n'


@pytest.fixture
def project(tmp_path):
    """Six sources with two samples each."""
    return news(tmp_path, n=6)


@pytest.fixture
def echo(project):
    return systems.register_system(project=project, toml_text=fake_toml(), by=None)


@pytest.fixture
def start_run(project):
    def start(revision=None, **options):
        options = {"split": "", "by": None, "seed": 7, **options}
        return runs.start_run(project=revision.system.project, revision=revision, **options)

    return start


@pytest.fixture
def work_off():
    """Do the jobs of a run here and now, without the look at the connection that a transaction would not survive."""

    def work(run, times=20):
        with patch("annotation.jobs.running.close_old_connections"), patch("annotation.jobs.running.send_hint"):
            for _ in range(times):
                for job in runs.jobs_of(run).filter(state="queued"):
                    run_job(job.pk)
        run.refresh_from_db()
        return run

    return work


def write_into_source(project, number, words):
    """Write something into one source, for a fake to stumble over."""
    text = SourceText.objects.filter(document__project=project).order_by("pk")[number]
    text.segments_json = text.segments_json.replace("The council met", f"{words} The council met")
    SourceText.objects.filter(pk=text.pk).update(segments_json=text.segments_json)


def find_swapped_outputs(run):
    """Outputs whose text is not the echo of their own sample."""
    rows = SystemOutput.objects.filter(run=run, state="done").select_related(
        "sample__document__source_text", "sample__group", "sample__schema_version"
    )
    return [row.pk for row in rows if row.text != echo_of(request_of(row.sample, run.seed))]


def count_states(run):
    """State -> how many outputs."""
    fields = {}
    for state in SystemOutput.objects.filter(run=run).values_list("state", flat=True):
        fields[state] = fields.get(state, 0) + 1
    return fields
