"""A run of a system that refines: its drafts are stored, a stopped run goes on, and its page shows the tables."""

import json
import os
import re
import signal

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile

from modelbridge.models import Run
from modelbridge.services.runs import runs
from modelbridge.services.runs.run_progress import progress_of
from modelbridge.services.runs.system_processes import HOSTS
from modelbridge.services.systems import systems
from tests.chat.stub import refusal
from tests.refine.factories import CHAT, PRICE, obey, refine_toml, words

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db_engine]


def register(project, options="", base=CHAT + PRICE):
    return systems.register_system(project=project, toml_text=refine_toml(options, base), by=None)


def first_requests(stub):
    """The conversations that ask for a first draft."""
    return [json.dumps(asked["messages"]) for asked in stub.asked if len(asked["messages"]) == 2]


def test_a_run_keeps_every_draft_with_its_measures_and_counts_all_calls(project, stub, start_run, work_off):
    run = work_off(start_run(register(project)))

    assert run.state == "done", list(run.outputs.values_list("error", flat=True))
    for row in run.outputs.all():
        first, last = row.steps[0], row.steps[-1]
        assert first["measures"]["length"]["measured"] == 30 and last["measures"]["length"]["distance"] == 0
        assert last["text"] == row.text and row.decoding["refine"]["stopped"] == "satisfied"
        assert row.usage["prompt_tokens"] == 100 * row.usage["calls"] == 100 * len(row.steps)
    progress = progress_of(run)
    assert progress.tokens_in == 100 * len(stub.asked)
    assert progress.cost == pytest.approx(len(stub.asked) * (100 * 2 + 10 * 8) / 1e6)


def test_a_step_that_fails_is_tried_again_without_paying_for_any_draft_twice(project, stub, start_run, work_off):
    troubles = [refusal(422, "not now"), refusal(422, "not now")]

    def fail_in_the_second_step(asked):
        is_second_step = len(asked["messages"]) > 2 and "Report 2." in str(asked["messages"])
        return troubles.pop() if is_second_step and troubles else obey(asked)

    stub.answer = fail_in_the_second_step
    run = work_off(start_run(register(project)))

    drafts = first_requests(stub)
    assert run.state == "done" and set(run.outputs.values_list("state", flat=True)) == {"done"} and not troubles
    assert len(drafts) == len(set(drafts)) == 8, "neither a neighbour nor the sample itself began anew"


def test_a_run_that_its_server_left_is_resumed_to_its_end(project, stub, start_run, work_off):
    stub.answer = lambda asked: obey(asked) if len(asked["messages"]) == 2 else refusal(401, "no key")
    run = work_off(start_run(register(project)))
    assert run.state == "failed" and "key" in run.error

    stub.answer = obey
    run = work_off(runs.resume_run(run=run, by=None))

    assert run.state == "done" and all(row.steps for row in run.outputs.all())


def test_a_killed_process_costs_its_batch_alone_and_no_output_moves(project, stub, start_run, work_off):
    killed = []

    def kill_once(asked):
        if len(asked["messages"]) > 2 and not killed:
            killed.extend(host.process.pid for host in HOSTS.loaded.values())
            for pid in killed:
                os.kill(pid, signal.SIGKILL)
        return obey(asked)

    stub.answer = kill_once
    run = work_off(start_run(register(project)))

    assert killed and run.state == "done"
    rows = run.outputs.all()
    assert {row.state for row in rows} == {"done"} and {row.steps[-1]["text"] == row.text for row in rows} == {True}
    for row in rows:  # each output has the prompt of its own source
        number = row.sample.document.external_id.removeprefix("d")
        assert f"Report {number}." in row.prompt


def test_the_page_of_a_run_shows_what_refining_brought_took_and_moved(project, stub, start_run, work_off, client):
    client.force_login(User.objects.create_superuser("researcher"))
    run = work_off(start_run(register(project)))

    page = client.get(f"/p/{project.slug}/runs/{run.public_id}/").content.decode()

    tables = dict(re.findall(r'id="t-(refine-\w+)">(.*?)</table>', page, re.S))
    assert list(tables) == ["refine-summary", "refine-curve", "refine-attributes", "refine-movement",
                            "refine-combinations"]  # fmt: skip
    summary = re.sub(r"<[^>]+>|\s+", " ", tables["refine-summary"])
    assert re.search(r"Refined \(revision 1\) +8 +1\.000 .* \.000 ", re.sub(" +", " ", summary))
    assert "<title" in page and "Share of requests met by number of drafts: 1: 0.00" in page
    assert "not asked for" in tables["refine-movement"]


def test_a_run_under_way_and_another_kind_show_no_such_tables(project, stub, start_run, client):
    client.force_login(User.objects.create_superuser("researcher"))
    run = start_run(register(project))

    assert "refine-summary" not in client.get(f"/p/{project.slug}/runs/{run.public_id}/").content.decode()


def test_the_page_of_a_sample_shows_every_draft_with_what_was_said_about_it(project, stub, start_run, work_off, client):
    client.force_login(User.objects.create_superuser("researcher"))
    run = work_off(start_run(register(project)))
    sample = run.outputs.order_by("position").first().sample

    page = client.get(f"/p/{project.slug}/samples/{sample.public_id}/outputs/").content.decode()

    assert "2 drafts" in page and words(30) in page and "Asked to change: Length" in re.sub(r"\s+", " ", page)
    assert "Length 30 (out of range)" in page and "It should be 8 to 20 words." in page


def test_runs_that_refine_are_compared_in_one_table(project, stub, start_run, work_off, client):
    client.force_login(User.objects.create_superuser("researcher"))
    chosen = [work_off(start_run(register(project, f'plan = "{plan}"'))) for plan in ("all", "guide")]

    query = "&".join(f"run={run.public_id}" for run in chosen)
    page = client.get(f"/p/{project.slug}/runs/compare/?{query}").content.decode()

    (table,) = re.findall(r'id="t-refine-summary">(.*?)</table>', page, re.S)
    assert table.count("<tr>") == 2 + 1 and "Refined (revision 2)" in table


def test_the_file_of_a_run_has_the_drafts_and_is_read_as_predictions(project, stub, start_run, work_off, client):
    client.force_login(User.objects.create_superuser("researcher"))
    run = work_off(start_run(register(project)))

    lines = b"".join(client.get(f"/p/{project.slug}/runs/{run.public_id}/file/")).decode().splitlines()
    stored = json.loads(lines[0])["steps"]
    uploaded = "\n".join(json.dumps({**json.loads(line), "system": "again"}) for line in lines)

    file = SimpleUploadedFile("again.jsonl", uploaded.encode())
    client.post(f"/p/{project.slug}/runs/upload/", {"file": file, "system": "again"})

    assert stored and stored[0]["number"] == 1
    again = Run.objects.exclude(pk=run.pk).get()
    assert again.outputs.order_by("position").first().steps == stored
    assert "refine-summary" not in client.get(f"/p/{project.slug}/runs/{again.public_id}/").content.decode()


def test_rules_are_refined_without_any_server(project, start_run, work_off):
    run = work_off(start_run(register(project, 'system = "controlled-extract"\nkeep = "best"', "")))

    assert run.state == "done" and all(row.steps for row in run.outputs.all())
    assert progress_of(run).tokens_in == 0
