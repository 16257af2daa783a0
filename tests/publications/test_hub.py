"""Uploads: to the hub of the environment alone, with its token; a stub on the loopback address stands in for it."""

import base64
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.core.management import CommandError, call_command

from annotation.models import AuditEvent, Job
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.publications import publication_jobs
from annotation.services.publications.hub_upload import HubFailed, check_repository
from tests.api.world import work_off
from tests.publications import factories as make

pytestmark = pytest.mark.django_db
TOKEN = "hf_secretsecretsecret"


class HubStub:
    """Takes a dataset as the hub does. calls: (method, path, token). files: what was committed. refuse: a status."""

    def __init__(self):
        self.calls, self.files, self.refuse = [], {}, 0
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if self.headers.get("Transfer-Encoding") == "chunked":
                    body = self.read_chunks()
                stub.calls.append((self.command, self.path, self.headers.get("Authorization")))
                status, reply = (stub.refuse, {"error": "no"}) if stub.refuse else stub.reply(self.path, body)
                text = json.dumps(reply).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def read_chunks(self):
                body = b""
                while size := int(self.rfile.readline(), 16):
                    body += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return body

            do_GET = do_POST = answer

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def reply(self, path, body):
        path = path.partition("?")[0]
        if path == "/api/repos/create":
            return 200, {"url": f"{self.url}/datasets/lab/news", "name": "lab/news", "id": "1"}
        if "/preupload/" in path:
            files = json.loads(body)["files"]
            modes = [{"path": f["path"], "uploadMode": "regular", "shouldIgnore": False} for f in files]
            return 200, {"files": modes}
        if "/commit/" in path:
            for line in map(json.loads, body.splitlines()):
                if line["key"] == "file":
                    self.files[line["value"]["path"]] = base64.b64decode(line["value"]["content"])
            return 200, {"commitUrl": f"{self.url}/datasets/lab/news/commit/1", "commitOid": "1", "hookOutput": ""}
        if "/tree/" in path:
            return 200, []
        return 200, {"id": "lab/news", "sha": "1", "siblings": [], "private": True}

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def hub(settings, monkeypatch):
    stub = HubStub()
    settings.EPITOME_HUB_URL, settings.EPITOME_HUB_TOKEN = stub.url, TOKEN
    monkeypatch.setenv("HF_HUB_DISABLE_TELEMETRY", "1")
    yield stub
    stub.server.shutdown()
    stub.server.server_close()


@pytest.fixture
def publication(tmp_path, django_user_model):
    return make.make_ready(make.make_project(tmp_path, django_user_model))


def test_a_job_uploads_all_files(publication, hub):
    job = publication_jobs.start_upload(publication=publication, repository="lab/news", private=True, by=None)
    work_off(job)

    assert job.state == "done", job.error
    assert job.result["address"] == f"{hub.url}/datasets/lab/news"
    assert {"README.md", "DATASHEET.md", "croissant.json", "data/summaries/train.parquet"} < set(hub.files)
    assert hub.files["data/summaries/train.parquet"].startswith(b"PAR1")
    assert {token for _method, _path, token in hub.calls} == {f"Bearer {TOKEN}"}
    assert AuditEvent.objects.get(verb="publication.push").detail["repository"] == "lab/news"


@pytest.mark.parametrize("status", [401, 403, 500])
def test_a_refusing_hub_fails_the_job_in_words_without_the_token(publication, hub, status):
    hub.refuse = status
    job = publication_jobs.start_upload(publication=publication, repository="lab/news", private=True, by=None)
    work_off(job)

    assert job.state == "failed" and "hub" in job.error and TOKEN not in job.error
    assert not AuditEvent.objects.filter(verb="publication.push").exists()


def test_a_hub_that_is_not_there_fails_the_job(publication, hub, settings):
    settings.EPITOME_HUB_URL = "http://127.0.0.1:9"
    with pytest.raises(HubFailed, match="cannot be reached"):
        publication_jobs.push_publication(
            publication=publication, repository="lab/news", private=True, progress=_Silent()
        )


class _Silent:
    def set(self, done, total=None, note=""): ...


@pytest.mark.parametrize("name", ["news", "../news", "lab/../x", "https://evil.example/a", "lab/news.git", "a b/c"])
def test_no_address_passes_for_a_repository(name, settings):
    settings.EPITOME_HUB_TOKEN = TOKEN
    with pytest.raises(BadInput):
        check_repository(name)


def test_without_a_token_nothing_is_uploaded(publication, settings):
    settings.EPITOME_HUB_TOKEN = ""
    with pytest.raises(Conflict, match="EPITOME_HUB_TOKEN"):
        publication_jobs.start_upload(publication=publication, repository="lab/news", private=True, by=None)
    assert not Job.objects.filter(kind="publication-push").exists()


def test_the_command_checks_writes_and_uploads(publication, hub, tmp_path, capsys):
    call_command("publish", "news", "v1.0", "--output", str(tmp_path / "out"), "--push", "lab/news")

    assert capsys.readouterr().out.strip() == f"{hub.url}/datasets/lab/news"
    assert hub.files["README.md"] == (tmp_path / "out" / "README.md").read_bytes()


def test_the_command_decides_by_kind_and_names_what_stands_in_the_way(tmp_path, django_user_model, capsys):
    make.make_project(tmp_path, django_user_model)
    with pytest.raises(CommandError, match="personal data"):
        call_command("publish", "news", "v2.0", "--output", str(tmp_path / "out"))
    (tmp_path / "about.toml").write_text('title = "Council"\n[answers]\nfunding = "The lab."\n')
    options = ("--emails", "mask", "--phones", "leave_out", "--names", "keep", "--leaks", "leave_out", "--json")
    about = str(tmp_path / "about.toml")
    call_command("publish", "news", "v2.0", "--output", str(tmp_path / "out"), "--description", about, *options)
    report = json.loads(capsys.readouterr().out)

    assert report["undecided"] == 0 and report["obstacles"] == [] and report["leaks"] == 3
    assert "# Council" in (tmp_path / "out" / "README.md").read_text()
    assert "The lab." in (tmp_path / "out" / "DATASHEET.md").read_text()
