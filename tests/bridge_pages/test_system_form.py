"""Registering a system by its form: fields by kind, faults at their field, TOML beside it."""

import html
import re

import pytest

from annotation import jobs
from annotation.models import Job
from modelbridge.models import Run, System, SystemRevision
from modelbridge.services.systems import systems
from tests.pages.forms import fill_form, read_form

URL = "/p/runs/systems/new/"


def shown(answer) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


def test_every_kind_is_offered_and_has_a_form(client, project):
    kinds = re.findall(r'href="\?kind=([a-z0-9-]+)"', client.get(URL).content.decode())
    assert {"lead", "chat", "seq2seq", "chat-judge"} <= set(kinds)
    for kind in kinds:
        assert read_form(client.get(f"{URL}?kind={kind}"), "system")["key"] == kind


def test_a_chat_system_is_registered_without_toml(client, project, settings):
    settings.EPITOME_CHAT_SERVERS = {"lab": "https://lab.example.org/v1"}
    values = {"name": "Asked", "key": "asked", "o.server": "lab", "o.model": "m", "o.decoding.temperature": "0.5"}
    data = fill_form(client.get(f"{URL}?kind=chat"), "system", values)
    client.post(URL, {**data, "do": "register"})
    options = SystemRevision.objects.get(system__key="asked").config.settings
    assert (options.server, options.model, options.parameters["temperature"]) == ("lab", "m", 0.5)


def test_the_servers_and_weights_of_the_operator_are_offered(client, project, settings, monkeypatch, tmp_path):
    settings.EPITOME_CHAT_SERVERS = {"lab": "https://lab.example.org/v1"}
    (tmp_path / "org" / "bart").mkdir(parents=True)
    (tmp_path / "org" / "bart" / "config.json").write_text("{}")
    monkeypatch.setenv("EPITOME_MODELS_DIR", str(tmp_path))
    assert '<option value="lab">' in client.get(f"{URL}?kind=chat").content.decode()
    assert '<option value="org/bart">' in client.get(f"{URL}?kind=seq2seq").content.decode()


def test_a_system_that_nobody_changed_makes_no_new_revision(client, project):
    systems.register_shipped(project=project, key="textrank", by=None)
    client.post(URL, {**read_form(client.get(f"{URL}?from=textrank"), "system"), "do": "register"})
    assert SystemRevision.objects.count() == 1


def test_a_changed_option_makes_a_revision_with_the_comments_of_the_first(client, project):
    text = systems.register_shipped(project=project, key="textrank", by=None).config_toml
    data = fill_form(client.get(f"{URL}?from=textrank"), "system", {"o.damping": "0.7"})
    client.post(URL, {**data, "do": "register"})
    newest = SystemRevision.objects.order_by("-number")[0]
    assert newest.number == 2 and newest.config.settings.damping == 0.7
    assert [line for line in text.split("\n") if line.startswith("#")] == [
        line for line in newest.config_toml.split("\n") if line.startswith("#")
    ]


@pytest.mark.parametrize(("field", "value"), [("o.damping", "much"), ("o.steps", "0"), ("key", "Not A Key")])
def test_a_fault_is_said_at_its_field_and_nothing_is_stored(client, project, field, value):
    data = fill_form(client.get(f"{URL}?from=textrank"), "system", {field: value})
    answer = client.post(URL, {**data, "do": "register"})
    assert answer.status_code == 422 and not System.objects.exists()
    assert f'id="id_{field}_error"' in answer.content.decode()
    assert read_form(answer, "system")[field] == value


def test_the_preview_gives_the_toml_and_stores_nothing(client, project):
    data = fill_form(client.get(f"{URL}?from=textrank"), "system", {"o.damping": "0.7"})
    answer = client.post("/p/runs/systems/preview/", data)
    assert "damping = 0.7" in shown(answer) and not System.objects.exists()
    wrong = client.post("/p/runs/systems/preview/", {**data, "o.damping": "x"})
    assert "Not complete yet: options.damping" in shown(wrong)


def test_toml_is_shown_in_the_form(client, project):
    text = '[system]\nkey = "lead"\nkind = "lead"\nname = "Opening"\n'
    answer = client.post(URL, {"toml": text, "do": "toml"})
    assert read_form(answer, "system")["name"] == "Opening" and not System.objects.exists()
    assert client.post(URL, {"toml": "[system", "do": "toml"}).status_code == 422


def test_a_test_on_one_sample_shows_input_output_and_time(client, project):
    data = read_form(client.get(f"{URL}?from=lead"), "system")
    client.post(URL, {**data, "do": "test"})
    run = Run.objects.get()
    assert (run.n_samples, run.label) == (1, "Test on one sample")
    jobs.run_job(Job.objects.get(kind="run").pk)
    words = shown(client.get(f"/p/runs/runs/{run.public_id}/"))
    assert "Input and output" in words and run.outputs.get().text in words and " s " in words


def test_a_registered_system_is_tested_on_its_page(client, project):
    revision = systems.register_shipped(project=project, key="lead", by=None)
    client.post(f"/p/runs/systems/{revision.system.public_id}/", {"do": "test"})
    assert Run.objects.get().n_samples == 1


def test_a_damaged_form_is_refused(client, project):
    assert client.post(URL, {"base": "[", "do": "register"}).status_code == 400


def test_a_form_without_its_text_is_refused_in_words_on_both_editors(client, project):
    for address in (URL, "/p/runs/schema/edit/"):
        answer = client.post(address, {"do": "toml"})
        assert answer.status_code == 422
        assert 'id="id_toml_error"' in answer.content.decode()
