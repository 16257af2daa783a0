"""Registering systems on their pages, comparing revisions, and pressing Run."""

import pytest

from modelbridge.models import Run, System, SystemOutput, SystemRevision
from modelbridge.services.systems import systems

LEAD = '[system]\nkey = "lead"\nkind = "lead"\nname = "First sentences"\n'
CHAT = '[system]\nkey = "asked"\nkind = "chat"\n[options]\nserver = "lab"\nmodel = "m"\n'


def page(client, address, data=None):
    answer = client.post(address, data, follow=True) if data is not None else client.get(address)
    return answer, answer.content.decode()


def test_a_system_that_comes_along_is_added_with_one_click(client, project):
    answer, text = page(client, "/p/runs/systems/shipped/", {"key": "textrank"})

    assert System.objects.get(project=project).key == "textrank"
    assert "TextRank" in text and answer.redirect_chain[-1][0].startswith("/p/runs/systems/")


def test_a_fault_in_a_configuration_is_told_with_its_line_and_nothing_is_stored(client, project):
    answer, text = page(client, "/p/runs/systems/new/", {"toml": LEAD.replace('"lead"\nkind', '"lead"\nknd')})

    assert answer.status_code == 422
    assert "system.toml, line 3" in text and "did you mean" in text
    assert not System.objects.exists()


def test_the_same_key_makes_the_next_revision_and_the_page_shows_what_changed(client, project):
    page(client, "/p/runs/systems/new/", {"toml": LEAD})

    _answer, text = page(client, "/p/runs/systems/new/", {"toml": LEAD.replace("First", "Opening")})

    assert "Revision 2" in text
    assert "<del>First</del>" in text and "<ins>Opening</ins>" in text


def test_run_freezes_the_samples_and_shows_the_progress(client, project):
    revision = systems.register_shipped(project=project, key="lead", by=None)
    address = f"/p/runs/systems/{revision.system.public_id}/"

    _answer, text = page(client, address, {"split": "", "seed": "3", "label": "first try"})

    run = Run.objects.get(revision=revision)
    assert (run.n_samples, run.seed, run.label) == (9, 3, "first try")
    assert "0 of 9" in text and f"/p/runs/runs/{run.public_id}/state/" in text
    state = client.get(f"/p/runs/runs/{run.public_id}/state/").json()
    assert (state["state"], state["done"], state["total"], state["ended"]) == ("queued", 0, 9, False)


def test_what_a_run_leaves_out_is_told_before_and_after(client, project):
    first, *_others, last = project.groups.order_by("pk")
    project.groups.filter(pk=first.pk).update(frozen_at=None)
    project.documents.filter(pk=last.document_id).update(damaged=True)
    items = [first.samples.count(), last.document.samples.count()]
    words = "{} without chosen topics and speakers, {} of a damaged source".format(*items)
    revision = systems.register_shipped(project=project, key="lead", by=None)
    address = f"/p/runs/systems/{revision.system.public_id}/"

    _answer, state_before = page(client, address)
    _answer, state_after = page(client, address, {"split": "", "seed": "0", "label": ""})

    assert f"Left out: {words}." in state_before and words in state_after
    assert Run.objects.get().n_samples == 9 - sum(items)


def test_a_run_is_cancelled_and_resumed_on_its_page(client, project):
    revision = systems.register_shipped(project=project, key="lead", by=None)
    page(client, f"/p/runs/systems/{revision.system.public_id}/", {"split": "", "seed": "0"})
    run = Run.objects.get()

    _answer, text = page(client, f"/p/runs/runs/{run.public_id}/", {"do": "cancel"})
    assert "Cancelled" in text and Run.objects.get().state == "cancelled"

    page(client, f"/p/runs/runs/{run.public_id}/", {"do": "resume"})
    assert Run.objects.get().state == "queued"


def test_reasons_of_failed_samples_stand_on_the_page(client, project, predicted):
    run = predicted(lambda sample: "A text.")
    SystemOutput.objects.filter(run=run, position__lt=2).update(state="failed", error="the GPU <b>burnt</b>")

    _answer, text = page(client, f"/p/runs/runs/{run.public_id}/?state=failed")

    assert "Done, 2 samples failed" in text
    assert "the GPU &lt;b&gt;burnt&lt;/b&gt;" in text
    assert "A text." not in text


@pytest.mark.parametrize(("servers", "there"), [([], True), (["lab"], False)])
def test_a_chat_server_that_nobody_set_up_is_told(client, project, settings, servers, there):
    settings.EPITOME_CHAT_SERVERS = servers
    revision = systems.register_system(project=project, toml_text=CHAT, by=None)

    _answer, text = page(client, f"/p/runs/systems/{revision.system.public_id}/")

    assert ("There is no chat server &quot;lab&quot;" in text) == there


@pytest.mark.parametrize("is_installed", [False, True])
def test_the_small_language_model_says_how_it_is_started(client, project, monkeypatch, is_installed):
    monkeypatch.setattr("epitome.systems.local_model.is_installed", lambda: is_installed)
    revision = systems.register_shipped(project=project, key="smollm2-chat", by=None)
    _answer, text = page(client, f"/p/runs/systems/{revision.system.public_id}/")

    assert ": make demo MODEL=1" in text and "There is no chat server" not in text
    assert "-m epitome.systems.local_server 8087" in text and ("make install-local;" in text) == (not is_installed)
    assert "EPITOME_CHAT_SERVERS=local=http://127.0.0.1:8087/v1" in text


def test_a_configuration_of_another_version_of_the_program_is_listed_with_its_fault(client, project):
    revision = systems.register_shipped(project=project, key="lead", by=None)
    SystemRevision.objects.filter(pk=revision.pk).update(config_toml=LEAD + "old = 1\n")

    assert client.get("/p/runs/systems/").status_code == 200
    _answer, text = page(client, f"/p/runs/systems/{revision.system.public_id}/")
    assert "unknown key" in text


@pytest.mark.parametrize("number", ["7", "x", "1%27"])
def test_a_revision_that_is_not_there_is_refused(client, project, number):
    revision = systems.register_shipped(project=project, key="lead", by=None)

    assert client.get(f"/p/runs/systems/{revision.system.public_id}/?revision={number}").status_code == 400
