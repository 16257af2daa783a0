"""A receiver of deliveries on this machine, and webhooks of a project."""

import contextlib
import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from unittest.mock import patch

from annotation.jobs import run_job
from annotation.models import Job, Project, Webhook, WebhookTopic
from annotation.services.webhooks import deliveries, webhooks
from epitome.site.webhook_hosts import AllowedHost, read_hosts

HOOK = "https://hooks.example.org/epitome"
EVENTS = [topic.value for topic in WebhookTopic.EVENTS]


def make_webhook(project: Project, url: str = HOOK, events: list[str] | None = None) -> Webhook:
    """A webhook with a test delivery that waits."""
    webhook, _secret = webhooks.create_webhook(project=project, url=url, events=events or EVENTS, by=None)
    deliveries.send_test(webhook=webhook, by=None)
    return webhook


class Receiver:
    """What a receiver was sent, and what it answers once `may_answer` is set."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.got: list[tuple[str, dict[str, str], bytes]] = []
        self.status, self.answer, self.headers = 204, b"", {}
        self.may_answer = threading.Event()
        self.may_answer.set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/epitome?from=news"

    @property
    def hosts(self) -> list[AllowedHost]:
        return read_hosts([f"http://127.0.0.1:{self.port}"])

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _path, _headers, body in self.got]


@contextmanager
def open_receiver(tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.got.append((self.path, dict(self.headers), body))
            receiver.may_answer.wait(30)
            with contextlib.suppress(OSError):  # whoever asked may have gone
                self.send_answer()

        def send_answer(self) -> None:
            self.send_response(receiver.status)
            for name, value in receiver.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(receiver.answer)))
            self.end_headers()
            self.wfile.write(receiver.answer)

        def log_message(self, *_args: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    receiver = Receiver(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()


def work_off_webhooks() -> Job:
    """Sweep and do the job that sends; returns it."""
    deliveries.start_due_deliveries()
    job = Job.objects.filter(kind=deliveries.KIND).order_by("-pk")[0]
    with patch("annotation.jobs.running.close_old_connections"):
        run_job(job.pk)
    job.refresh_from_db()
    return job
