"""A round's file: what it may say, and where it is wrong."""

import pytest

from epitome.rounds.answer_texts import BadAnswer
from epitome.rounds.config import config_from_dict
from epitome.rounds.config_parsing import parse_round
from epitome.rounds.templates import load_template, template_keys
from epitome.rounds.writing import Sketch, build_toml
from epitome.schema import SchemaError, load_preset
from tests.rounds.forms import list_round

NEWS = load_preset("macsum-doc")
SMALL = '[round]\nname = "A"\ntemplate = "{template}"\n{round}\n{more}\n[[target]]\nkind = "gold"\n'


def read(more: str = "", *, template: str = "macsum-yes-no", round_: str = "", schema=NEWS):
    return parse_round(SMALL.format(template=template, round=round_, more=more), schema)


def test_the_questions_come_from_the_schema_and_length_is_not_asked():
    assert [question.key for question in read().questions] == ["extractiveness", "specificity", "topic"]
    keys = [question.key for question in read("[questions]\nlength = true").questions]
    assert keys == ["length", "extractiveness", "specificity", "topic"]


def test_identification_offers_the_values_of_an_attribute():
    question = read(template="attribute-identification").question("extractiveness")
    assert [(option.value, option.key) for option in question.asks.options(question)] == [
        ("normal", "1"),
        ("high", "2"),
        ("full", "3"),
    ]
    with pytest.raises(BadAnswer):
        question.asks.read(question, "yes")


def test_a_configuration_survives_being_stored():
    more = '[[foil]]\nsample = "a#0"\nattribute = "topic"\nvalues = ["x"]\nconfirmed_by = ["researcher", "admin"]\n'
    more += '[questions]\nextra = ["overall"]\n[[question]]\nkey = "free"\ntype = "note"\ntext = "Anything else?"'
    config = read(more, round_="qualification = 0.8")
    assert config_from_dict(config.as_dict()) == config


@pytest.mark.parametrize(
    ("more", "place"),
    [
        ("[selection]\nn = 0", "line 6: selection.n: must be from 1"),
        ('[selection]\nstratify = "topic"', "line 6: selection.stratify: must be an attribute with fixed values"),
        ('[selection]\nrequire_nonempty = ["length"]', 'line 6: selection.require_nonempty: "length" always has'),
        ("[selection]\nfloor = 3", 'line 6: selection.floor: needs "stratify"'),
        ("[selction]\nn = 3", 'line 5: selction: unknown key; did you mean "selection"?'),
        ('[questions]\nextra = ["happy"]', 'line 6: questions.extra: there is no question "happy"'),
        ('[[question]]\nkey = "topic"\ntype = "yes-no"\ntext = "?"', 'the question "topic" would be asked twice'),
        ('[[question]]\nkey = "x"\ntype = "side"\nabout = "pair"\ntext = "?"', "which this form does not show"),
        ('[[target]]\nkey = "gold"\nsystem = "x"', 'line 8: target[2].key: "gold" stands twice'),
        ('[[target]]\nkind = "run"', 'needs either "system" or "run"'),
        ('[reference]\nfrom = "gold"', "shows no reference"),
        ('[pairs]\nby = "value"\nattribute = "length"', "shows one summary"),
        ('[[foil]]\nsample = "a#0"\nattribute = "topic"\nvalues = ["x"]\nconfirmed_by = ["one"]', "two members"),
    ],
)
def test_a_fault_names_the_key_and_the_line(more, place):
    with pytest.raises(SchemaError) as error:
        read(more)
    assert str(error.value).startswith("round.toml, line ") and place in str(error.value)


TWO = '[[target]]\nsystem = "a"\n'
CLAIMS = TWO + '[judge]\nsystems = ["j"]\n'


@pytest.mark.parametrize(
    ("options", "place"),
    [
        ({"round_": "extra_ratings = -1"}, "round.extra_ratings: must be from 0"),
        ({"round_": "extra_ratings = 5\nraters_per_item = 1"}, "one rater disagrees with nobody"),
        ({"round_": 'extra_ratings = 5\nraters = ["a", "b"]'}, "name more than 2 in raters"),
        ({"more": CLAIMS}, "does not go with [judge]"),
        ({"more": TWO + '[stopping]\nrule = "decided"'}, 'does not go with rule = "decided" in [stopping]'),
        ({"template": "error-spans-mqm"}, "needs a question on which answers can disagree"),
    ],
)
def test_additional_ratings_are_refused_with_what_contradicts_them(options, place):
    with pytest.raises(SchemaError) as error:
        read(**{"round_": "extra_ratings = 5", **options})
    assert "round.extra_ratings: " in str(error.value) and place in str(error.value)


def test_additional_ratings_of_lists_are_refused_and_of_other_forms_taken():
    text = list_round().replace("[round]", "[round]\nextra_ratings = 3")
    with pytest.raises(SchemaError, match="this form shows a list"):
        parse_round(text, NEWS)
    assert read(round_='extra_ratings = 5\nraters = ["a", "b", "c"]').extra_ratings == 5
    assert read(TWO, template="pairwise-preference", round_="extra_ratings = 5").extra_ratings == 5
    assert config_from_dict(read(round_="extra_ratings = 5").as_dict()).extra_ratings == 5
    stored = read().as_dict()
    del stored["extra_ratings"]  # of a round launched before there were any
    assert config_from_dict(stored).extra_ratings == 0


def test_a_reference_that_is_a_target_is_refused():
    pair = '[[target]]\nsystem = "a"\n[reference]\nfrom = "gold"'
    with pytest.raises(SchemaError, match="would be a target itself"):
        read(pair, template="ccsbench-focus")
    with pytest.raises(SchemaError, match="shows no reference"):
        read(pair, template="ccsbench-readability")


def test_every_template_holds_a_definition_and_an_example_with_sound_answers():
    for name in template_keys():
        template = load_template(name)
        assert template.definitions and template.examples
        for example in template.examples:
            for question in template.questions:
                if question.key in example.answers:
                    fitting = question.for_texts(len(example.summaries))
                    fitting.asks.read(fitting, example.answers[question.key])


def test_the_ccsbench_forms_ask_what_was_published():
    focus, readability = load_template("ccsbench-focus"), load_template("ccsbench-readability")
    assert [question.about for question in focus.questions] == ["a", "b", "pair", "a", "b"] and focus.shows == (
        "reference",
    )
    assert [question.about for question in readability.questions] == [
        "pair",
        "pair",
        "a",
        "b",
    ] and readability.shows == ()
    assert (focus.n, readability.n) == (120, 120)


def test_what_the_form_writes_is_read_back():
    sketch = Sketch(
        name='A "quoted" name', template="macsum-yes-no", n=5, raters_per_item=2, seed=3,
        runs=[("0c0ffee0-0000-4000-8000-000000000000", "lead")], no_control=True, raters=["rater1", "rater2"],
        topics_only=["topic"], stratify="extractiveness", floor=1, extra=["fluent"], repeats=2,
    )  # fmt: skip
    config = parse_round(build_toml(sketch), NEWS)
    assert config.name == sketch.name and config.selection.require_nonempty == ("topic",)
    assert [target.key for target in config.targets] == ["gold", "lead", "lead-no-control"]


def test_answers_about_sides_lose_their_place():
    side = load_template("ccsbench-readability").questions[1]
    assert [side.asks.canonical("a", number) for number in (1, 2)] == ["1", "2"]
    fluent = load_template("ccsbench-readability").questions[2]
    assert (fluent.key, fluent.shared_key) == ("fluent-a", "fluent")
