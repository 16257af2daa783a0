"""Options of systems as fields: every kind gives its own, and a configuration comes back as it was."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epitome.systems.config import parse_config
from epitome.systems.kinds import KINDS
from epitome.systems.option_fields import list_option_fields, read_options, write_system
from epitome.systems.registry import shipped_configs

SHIPPED = {config.key: config for config in shipped_configs()}


def fields_by_path(kind):
    return {".".join(field.path): field for field in list_option_fields(kind)}


def written(config, **changes):
    fields = list_option_fields(config.kind)
    options = read_options(config.text, fields) | {tuple(key.split("__")): value for key, value in changes.items()}
    head = tomllib.loads(config.text)["system"]
    return write_system(config.text, {"key": head["key"], "name": head.get("name", "")}, options, fields)


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS.values() if kind.listed])
def test_every_kind_is_read_to_its_end(kind):
    assert all(field.type != "other" for field in list_option_fields(kind) if field.required)


def test_a_chat_system_needs_a_server_and_a_model():
    fields = fields_by_path("chat")
    assert [path for path, field in fields.items() if field.required] == ["server", "model"]
    assert (fields["concurrency"].default, fields["concurrency"].least, fields["concurrency"].most) == (4, 1, 64)
    assert "auto" in fields["template"].choices and fields["decoding.temperature"].type == "number"
    assert fields["bands"].type == "flag" and fields["price.currency"].default == "USD"


@pytest.mark.parametrize("key", SHIPPED)
def test_a_configuration_that_nobody_changed_stays_as_it_is(key):
    assert written(SHIPPED[key]) == SHIPPED[key].text


def test_a_changed_option_keeps_comments_and_is_checked_as_ever():
    config = SHIPPED["chat"]
    text = written(config, concurrency="9", decoding__temperature="0.5", attributes="length\ntopic")
    options = parse_config(text).settings
    assert options.concurrency == 9 and options.parameters["temperature"] == 0.5
    assert options.attributes == ("length", "topic")
    comments = [line for line in config.text.split("\n") if line.startswith("#")]
    assert [line for line in text.split("\n") if line in comments] == comments


def test_an_emptied_option_is_taken_out():
    config = parse_config('[system]\nkey = "a"\nkind = "chat"\n[options]\nserver = "s"\nmodel = "m"\nattempts = 3\n')
    assert "attempts" not in written(config, attempts="")


@given(st.data())
def test_any_values_of_fields_come_back(data):
    config = SHIPPED[data.draw(st.sampled_from(sorted(SHIPPED)))]
    fields = [field for field in list_option_fields(config.kind) if field.type in ("text", "choice", "whole", "flag")]
    values = {
        "text": st.text(st.sampled_from("ab \"'é#=\n[]"), min_size=1, max_size=8).filter(str.strip),
        "whole": st.integers(0, 10**6).map(str),
        "flag": st.sampled_from(["true", "false"]),
    }
    chosen = {
        field.path: data.draw(st.sampled_from(field.choices) if field.choices else values[field.type])
        for field in fields
        if field.type != "choice" or field.choices
    }
    text = write_system(config.text, {"key": config.key}, chosen, fields)
    assert {path: value for path, value in read_options(text, fields).items() if path in chosen} == chosen
    assert write_system(text, {"key": config.key}, chosen, fields) == text
