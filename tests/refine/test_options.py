"""What the configuration of a system that refines may say, and over which systems it works."""

import pytest

from epitome.schema import SchemaError
from epitome.systems.config import parse_config
from epitome.systems.kinds import KINDS
from epitome.systems.option_fields import list_option_fields
from epitome.systems.registry import explain_missing_libraries, find_queue, followed_attributes
from tests.refine.factories import CHAT, PRICE, refine_toml

EXTRACT = 'system = "controlled-extract"'


def parse(options="", base=CHAT):
    return parse_config(refine_toml(options, base), "refined.toml")


@pytest.mark.parametrize(
    ("options", "base", "message"),
    [
        ("", "", "names the system that writes the drafts"),
        (EXTRACT, CHAT, "names the system that writes the drafts"),
        ('system = "nothing"', "", "must be one of"),
        ('system = "chat-judge"', "", "must be one of"),
        ("", '[options.base]\nkind = "seq2seq"\n', "must be one of"),
        ("", '[options.base]\nkind = "refine"\n', "must be one of"),
        ("", '[options.base]\nkind = "chat"\n[options.base.options]\nmodel = "m"\n', '"server" is missing'),
        ('plan = "hope"', CHAT, "must be one of"),
        (f'{EXTRACT}\nplan = "guide"', "", "is asked nothing in words"),
        (f'{EXTRACT}\n[options.prompt]\nrewrite = "Again."', "", "is for models that are asked in words"),
        ('plan = "search"\nkeep = "last"', CHAT, "only the best is one to keep"),
        ('order = ["length", "length"]', CHAT, "names an attribute twice"),
        (f"{EXTRACT}\n[options.budget]\ntokens = 10", "", "does not count"),
        ("[options.budget]\ncost = 1.0", CHAT, "states no price"),
        ("[options.budget]\ncalls = 0", CHAT, "must be from 1"),
        ("[options.bands.speaker]\nany = [0.5]", CHAT, "must be two numbers"),
        ("[options.bands.speaker]\nany = [0.5, 0.1]", CHAT, "must be two numbers"),
        ('[options.prompt]\nfeedback = "{source}"', CHAT, "has the place"),
    ],
)
def test_what_cannot_work_is_refused_with_its_place(options, base, message):
    with pytest.raises(SchemaError, match=r"^refined\.toml, line \d+: ") as error:
        parse(options, base)
    assert message in str(error.value)


def test_a_base_brings_what_it_follows_needs_and_costs():
    over_chat, over_extract = parse("", CHAT + PRICE), parse(EXTRACT, "")
    causal = '[options.base]\nkind = "causal"\n[options.base.options]\nweights = "org/model"\n'

    assert "anything" in followed_attributes(over_chat) and over_chat.settings.price.currency == "EUR"
    assert "length" in followed_attributes(over_extract) and over_extract.settings.price is None
    assert [find_queue(config) for config in (over_chat, over_extract, parse("", causal))] == ["text", "text", "gpu"]
    assert explain_missing_libraries(over_extract) == ""


def test_a_system_that_refines_is_marked_as_made_for_the_measures():
    assert KINDS["refine"].optimizes_measures and KINDS["refine"].counts_tokens


def test_the_form_offers_the_built_in_systems_and_the_plans():
    fields = {field.path: field for field in list_option_fields("refine")}

    assert {"controlled-extract", "smollm2-chat", "lead"} <= set(fields["system",].choices)
    assert fields["plan",].choices == ("all", "by-attribute", "search", "guide")
    assert fields["budget", "calls"].default == 6
