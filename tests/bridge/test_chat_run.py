"""A run of a chat system from its page to the last output, against a server that answers as real ones do."""

import json
import re
import threading

import pytest
from django.contrib.auth.models import User

from modelbridge.models import Run, SystemOutput
from modelbridge.services.runs import runs
from modelbridge.services.runs.run_progress import progress_of
from modelbridge.services.systems import systems
from tests.chat.stub import Stub, completion, refusal

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db_engine]

KEY = "a-key-nobody-may-see"
TOML = """
[system]
key = "asked"
kind = "chat"
[options]
server = "lab"
model = "tiny"
timeout = 1.0
[options.price]
input = 2.0
output = 8.0
currency = "EUR"
"""


class Moody:
    """The first requests are refused, cut short or kept waiting; then each answer says what was asked about."""

    def __init__(self):
        self.lock, self.given_up, self.waiting = threading.Lock(), threading.Event(), None
        self.troubles = [
            self.late,
            lambda _asked: refusal(429, "slow down", Retry_After="0.05"),
            lambda _asked: refusal(500, "oops", retry_after_ms="20"),
            lambda _asked: (200, {}, b'{"choices": [{"message": '),
        ]

    def late(self, asked):
        self.given_up.wait(20)
        return completion("too late")

    def __call__(self, asked):
        asked = asked["messages"][1]["content"]
        with self.lock:
            trouble = self.troubles.pop(0) if self.troubles else None
            if trouble == self.late:
                self.waiting = asked
            elif asked == self.waiting:  # asked anew: the client has given the first request up
                self.given_up.set()
        if trouble:
            return trouble(asked)
        number = asked.partition("Report ")[2].partition(".")[0]
        status, _, body = completion(f"Summary: It is report {number}.", tokens=(100, 7))
        return status, {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "10ms"}, body


@pytest.fixture
def stub(monkeypatch, settings):
    other_stub = Stub()
    other_stub.answer = moody = Moody()
    monkeypatch.setenv("EPITOME_CHAT_SERVERS", f"lab={other_stub.base}#LAB_API_KEY")
    monkeypatch.setenv("LAB_API_KEY", KEY)
    settings.EPITOME_CHAT_SERVERS = ["lab"]
    yield other_stub
    moody.given_up.set()
    other_stub.close()


def test_a_run_whose_samples_all_fail_alike_stops_and_goes_on_when_resumed(project, stub, work_off):
    revision = systems.register_system(project=project, toml_text=TOML.replace("asked", "all-wrong"), by=None)
    stub.answer = lambda asked: refusal(422, f"top_k must be at least 1, got {len(stub.asked)}")
    run = work_off(runs.start_run(project=project, revision=revision, by=None))

    assert run.state == "failed" and re.match(
        r"The first \d+ samples failed alike: .*top_k must be at least 1", run.error
    )
    assert len(stub.asked) <= 12, "no sample is tried a second time"
    stub.answer = lambda asked: completion("A summary.")
    run = work_off(runs.resume_run(run=run, by=None))
    assert run.state == "done" and set(run.outputs.values_list("state", "error")) == {("done", "")}


def test_a_run_goes_on_where_only_its_longest_sources_do_not_fit(project, stub, work_off):
    revision = systems.register_system(project=project, toml_text=TOML.replace("asked", "too-long"), by=None)
    last = runs.start_run(project=project, revision=revision, by=None).outputs.order_by("work_order").last()
    shortest = last.sample.document.external_id.removeprefix("doc-")
    run = Run.objects.get()
    stub.answer = lambda asked: (
        completion("A summary.") if f"report {shortest}." in str(asked).lower() else refusal(400, "too long")
    )
    run = work_off(run)

    assert run.state == "done" and set(run.outputs.values_list("state", flat=True)) == {"done", "failed"}


def test_a_chat_system_is_run_over_a_moody_server_and_the_page_tells_tokens_and_cost(
    project, stub, work_off, client, caplog
):
    revision = systems.register_system(project=project, toml_text=TOML, by=None)
    client.force_login(User.objects.create_superuser("researcher"))
    client.post(f"/p/{project.slug}/systems/{revision.system.public_id}/", {"split": "", "seed": "3"})
    run = work_off(Run.objects.get())

    rows = list(SystemOutput.objects.filter(run=run).select_related("sample__document"))
    assert run.state == "done" and len(rows) == 12
    for row in rows:
        assert row.text == f"It is report {row.sample.document.external_id.removeprefix('doc-')}."
        assert (row.attempts, row.usage["prompt_tokens"], row.usage["completion_tokens"]) == (1, 100, 7)
    assert sum(row.usage["attempts"] for row in rows) == 12 + 4
    progress = progress_of(run)
    assert (progress.tokens_in, progress.tokens_out, round(progress.cost, 9)) == (1200, 84, 0.003072)
    page = client.get(f"/p/{project.slug}/runs/{run.public_id}/").content.decode()
    assert "0.0031 EUR" in page
    words = re.sub(r"[ \n]+", " ", page)
    assert "1\u202f200 <small>in</small> 84 <small>out</small>" in words
    file = b"".join(client.get(f"/p/{project.slug}/runs/{run.public_id}/file/")).decode()
    assert json.loads(file.splitlines()[0])["usage"]["completion_tokens"] == 7
    assert {header["Authorization"] for header in stub.headers} == {f"Bearer {KEY}"}
    assert KEY not in page + file + caplog.text
