"""The file that starts all parts together: it names what is there, and the settings take what it sets."""

import io
import re
import socket
from pathlib import Path

import pytest
import yaml
from django.core.management import CommandError, call_command

from annotation.management.commands.worker import Command as Worker
from annotation.models import WorkerHeartbeat
from tests.commands import run_manage
from tests.jobs.heartbeats import run_worker

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "compose.yaml").read_text(encoding="utf-8")
SERVICES = yaml.safe_load(TEXT)["services"]
EXAMPLE = (ROOT / ".env.example").read_text(encoding="utf-8")
GIVEN = {
    "EPITOME_SECRET_KEY": "x" * 64,
    "POSTGRES_PASSWORD": "y",
    "REDIS_PASSWORD": "z",
    "EPITOME_HOSTS": "epitome.example.org",
}


def filled(value):
    """A value as compose reads it with the variables of GIVEN."""
    return re.sub(
        r"\$\{(\w+)(:[-?])([^}]*)\}",
        lambda found: GIVEN.get(found[1], found[3] if found[2] == ":-" else ""),
        str(value),
    )


def test_what_must_be_set_stands_in_the_example():
    assert set(re.findall(r"\$\{(\w+):\?", TEXT)) == set(GIVEN)
    assert all(f"\n{name}=" in EXAMPLE for name in GIVEN)
    words = set(re.findall(r"^#? ?([A-Z_]+)=", EXAMPLE, re.M))
    assert words <= set(re.findall(r"\$\{(\w+)", TEXT)), "a variable that nothing reads"


def test_every_service_waits_for_one_that_is_there():
    for name, service in SERVICES.items():
        for other, how in service.get("depends_on", {}).items():
            assert other in SERVICES, name
            assert how["condition"] != "service_healthy" or "healthcheck" in SERVICES[other]
            assert how["condition"] != "service_completed_successfully" or SERVICES[other]["restart"] == "no"


@pytest.mark.parametrize("name", [name for name in SERVICES if name.startswith("worker-")])
def test_a_worker_is_started_with_options_that_it_knows(name):
    python, manage, command, *options = SERVICES[name]["command"]

    assert (python, manage, command) == ("python", "manage.py", "worker")
    assert Worker().create_parser("manage.py", "worker").parse_args(options).queues


@pytest.mark.parametrize("name", ["web", "worker-gpu"])
def test_the_settings_take_what_is_set(tmp_path, name):
    by_key = {key: filled(value) for key, value in SERVICES[name]["environment"].items()}

    manage = run_manage(tmp_path, "check", "--fail-level", "WARNING", **by_key)

    assert (manage.returncode, manage.stderr) == (0, "")


@pytest.mark.parametrize("name", [name for name in SERVICES if name != "prepare"])
def test_every_service_that_stays_has_a_health_check(name):
    kind, *command = SERVICES[name]["healthcheck"]["test"]
    assert kind in ("CMD", "CMD-SHELL")
    assert command


def test_the_site_is_asked_whether_it_is_ready(monkeypatch):
    items = []
    monkeypatch.setattr("urllib.request.urlopen", lambda url, timeout: items.append(url))
    _kind, python, option, code = SERVICES["web"]["healthcheck"]["test"]
    assert (python, option) == ("python", "-c")
    exec(code, {})
    assert items == ["http://127.0.0.1:8000/readyz"]
    assert "0.0.0.0:8000" in (ROOT / "Dockerfile").read_text(encoding="utf-8")


@pytest.mark.parametrize(("seconds", "status"), [(10, 0), (50, 1)])
def test_a_worker_is_asked_for_its_own_heartbeat(db, seconds, status):
    elsewhere, here = run_worker("gpu"), run_worker("text", silent_for=seconds)
    WorkerHeartbeat.objects.filter(pk=here.pk).update(name=f"{socket.gethostname()}:1:a")
    WorkerHeartbeat.objects.filter(pk=elsewhere.pk).update(name=f"{socket.gethostname()}-2:1:a")
    *_python, command = SERVICES["worker-cpu"]["healthcheck"]["test"]
    if status:
        with pytest.raises(CommandError, match="no worker of this machine"):
            call_command(command)
    else:
        call_command(command, stdout=io.StringIO())


def test_the_chat_server_of_the_example_is_the_service_and_only_workers_reach_it():
    from epitome.systems.chat_servers import read_servers

    (servers,) = re.findall(r"^# EPITOME_CHAT_SERVERS=(.+)$", EXAMPLE, re.M)
    assert read_servers(servers)["local"].base == "http://chat:8000/v1"
    chat = SERVICES["chat"]
    assert chat["profiles"] == ["chat"] and "ports" not in chat
    assert chat["command"][0] == "--model"
