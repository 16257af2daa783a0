"""Runs of systems that people registered load no weights from elsewhere, and say the same of every such path."""

import pytest

from annotation.models import Role
from modelbridge.services.runs import run_worker
from modelbridge.services.runs.system_processes import HOSTS
from modelbridge.services.systems import systems
from tests.tasks.factories import make_people

pytestmark = pytest.mark.django_db
TOML = '[system]\nkey = "x"\nname = "X"\nkind = "seq2seq"\n[options]\nweights = "%s"\n'


@pytest.fixture
def run_with(project, start_run, monkeypatch):
    """Start a run of a system with these weights; (its state, its error, whether a process was asked for)."""
    (researcher,) = make_people(1, project, Role.RESEARCHER)
    items = []

    def get(config, _is_wanted):
        items.append(config.key)
        raise run_worker.HostFault("no models here")

    monkeypatch.setattr(HOSTS, "get", get)

    def start(weights, by=researcher):
        items.clear()
        revision = systems.register_system(project=project, toml_text=TOML % weights, by=by)
        run = start_run(revision)
        with pytest.raises(run_worker.HostFault):
            run_worker.work_in_process(run)
        run.refresh_from_db()
        return run.state, run.error.replace(weights, "PATH"), bool(items)

    return start


def test_a_path_elsewhere_fails_with_the_same_words_whether_it_exists(run_with, tmp_path):
    (tmp_path / "there").mkdir()
    existing = run_with(str(tmp_path / "there"))
    assert existing == run_with(str(tmp_path / "nowhere"))
    assert existing[0] == "failed"
    assert "may use" in existing[1]
    assert existing[2] is False


def test_the_operators_folders_and_commands_are_open(run_with, tmp_path, monkeypatch):
    monkeypatch.setenv("EPITOME_MODELS_DIR", str(tmp_path))
    assert run_with(str(tmp_path / "bart"))[2] is True
    assert run_with("/srv/elsewhere", by=None)[2] is True
