"""What a round's file says of judges, items for people and stopping, and which combinations mean nothing."""

import json

import pytest

from epitome.rounds.certainty import ForPeople, Judging, Stopping
from epitome.rounds.config import config_from_dict
from epitome.rounds.config_parsing import parse_round
from epitome.rounds.writing import Sketch, build_toml
from epitome.schema import SchemaError, load_preset
from tests.rounds.designs import Facts, build_candidates, plan_design

NEWS = load_preset("macsum-doc")
JUDGE = '[judge]\nsystems = ["j"]\n'
TWO = '[judge]\nsystems = ["j", "k"]\ncombine = "ppi"\n'
RULE = '[stopping]\nrule = "decided"\n'


def read(more: str = "", *, selection: str = "", template: str = "macsum-yes-no", targets: int = 2):
    head = f'[round]\nname = "A"\ntemplate = "{template}"\n[selection]\n{selection}\n'
    runs = "".join(f'[[target]]\nsystem = "s{number}"\n' for number in range(targets - 1))
    return parse_round(f'{head}{more}\n[[target]]\nkind = "gold"\n{runs}', NEWS)


def test_a_design_of_before_loads_and_means_the_same():
    config = read()
    stored = json.loads(json.dumps(config.as_dict()))
    for key in ("judging", "stopping"):
        del stored[key]
    del stored["selection"]["for_people"]
    assert config_from_dict(stored) == config
    assert (config.judging, config.stopping, config.selection.for_people) == (Judging(), Stopping(), ForPeople())


def test_all_of_it_survives_being_stored():
    config = read(
        TWO + 'pilot = "First"\n', selection='for_people = "active"\nshare_for_people = 0.3\nleast_chance = 0.1'
    )
    assert config_from_dict(config.as_dict()) == config
    assert config.selection.for_people == ForPeople("active", 0, 0.3, 0.1) and config.judging.pilot == "First"
    looked = read('[stopping]\nrule = "width"\nwidth = 0.2\nmaximum = 100\nlook = "after every source"\n')
    assert config_from_dict(looked.as_dict()) == looked and looked.stopping == Stopping("width", width=0.2, maximum=100)


@pytest.mark.parametrize(
    ("more", "options", "place"),
    [
        ('[judge]\ncombine = "ppi"', {}, 'judge.combine: needs "systems"'),
        ('[judge]\nsystems = ["j", "j"]', {}, "names a judge twice"),
        (JUDGE + 'combine = "ppi"', {}, "judge.combine: has nothing to add: people judge all items"),
        ("", {"selection": "n_for_people = 3"}, "selection.n_for_people: leaves items that nobody judges"),
        (JUDGE, {"selection": "n_for_people = 3\nshare_for_people = 0.5"}, "says the same as n_for_people"),
        (JUDGE, {"selection": "n_for_people = 3\nleast_chance = 0.1"}, "at random all chances are equal"),
        ("", {"selection": 'for_people = "active"\nn_for_people = 3'}, "leaves items that nobody judges"),
        ("", {"selection": 'for_people = "active"'}, "selection.for_people: active goes by the doubts of judges"),
        (TWO, {"selection": 'for_people = "active"'}, "active needs n_for_people or share_for_people"),
        (JUDGE, {"selection": 'for_people = "active"\nn_for_people = 3'}, 'set combine = "ppi"'),
        (
            TWO + "[quality]\nrepeats = 2",
            {"selection": 'for_people = "active"\nn_for_people = 3'},
            "repeats are already fixed",
        ),
        (
            JUDGE + 'combine = "ppi"',
            {"selection": 'for_people = "active"\nn_for_people = 3'},
            "one judge that says yes or no shows no doubt",
        ),
        (TWO, {"selection": 'for_people = "active"\nshare_for_people = 0.02'}, "is more than the share"),
        ("[stopping]\nwidth = 0.2", {}, "stopping.width: goes with rule"),
        ('[stopping]\nrule = "width"', {}, "stopping.width: goes with rule"),
        ("[stopping]\nmaximum = 5", {}, "a fixed round does not stop early"),
        ('[stopping]\nrule = "decided"\nlook = "daily"', {}, "stopping.look: must be one of"),
        (RULE, {"targets": 1}, "declare another target"),
        (RULE, {"selection": 'draw = "independent"'}, 'selection.draw: rule = "decided" compares'),
        (RULE + "[exclusion]\nfoils_failed = 0.2", {}, "[exclusion] would take some back"),
        (RULE + JUDGE, {"selection": "n_for_people = 3"}, "say maximum in [stopping] instead"),
        (RULE + 'questions = ["length"]', {}, '"length" cannot be compared; there are extractiveness'),
        (
            RULE + '[pairs]\nby = "value"\nattribute = "length"',
            {"template": "pairwise-preference"},
            "this form does not",
        ),
        (
            JUDGE + '[pairs]\nby = "value"\nattribute = "length"\n',
            {"template": "pairwise-preference", "selection": "n_for_people = 3"},
            "",
        ),
    ],
)  # fmt: skip
def test_what_means_nothing_is_refused_with_its_place(more, options, place):
    if not place:
        read(more, **options)
        return
    with pytest.raises(SchemaError) as error:
        read(more, **options)
    assert place in str(error.value)


def test_lists_have_neither_judges_nor_rules():
    from tests.rounds.forms import list_round

    for more in (JUDGE, RULE):
        with pytest.raises(SchemaError, match=r"a list|this form does not"):
            parse_round(list_round(more=more), NEWS)


def test_rounds_of_before_have_the_same_hashes():
    """As computed before there were judges and rules."""
    plans = [
        plan_design("[selection]\nn = 20\n[quality]\nother_source = 2\nrepeats = 3")[1],
        plan_design("[selection]\nn = 20\n[quality]\nrepeats = 3", template="pairwise-preference")[1],
        plan_design('[selection]\nn = 15\ndraw = "independent"', head="raters_per_item = 3")[1],
    ]
    assert [plan.hash()[:16] for plan in plans] == ["22a7d307ea911ae5", "52704f5b03bc74f9", "f993aa1f12d17cb6"]


def test_lanes_hold_the_drawn_samples_and_repeats_of_these():
    more = f"[selection]\nn = 40\nn_for_people = 10\n[quality]\nrepeats = 4\n{TWO}"
    config, plan = plan_design(more)
    samples = {plan.items[number].sample for number in plan.people if plan.items[number].kind == "real"}
    assert len(samples) == 10 and plan.chance == 10 / 40
    assert all(sorted(lane.order) == sorted(plan.people) for lane in plan.lanes) and len(plan.lanes) == 2
    repeats = [item for item in plan.items if item.kind == "repeat"]
    assert len(repeats) == 4 and {plan.items[item.repeats].sample for item in repeats} <= samples
    assert config.n_texts == 1 and len(plan.people_items) == 34


def test_lanes_complete_one_source_after_the_other():
    _config, plan = plan_design(f"[selection]\nn = 40\n[quality]\nrepeats = 3\n{RULE}", rows=build_candidates(40, 1))
    for lane in plan.lanes:
        real = [plan.items[number].source for number in lane.order if plan.items[number].kind == "real"]
        last = {source: place for place, source in enumerate(real)}
        assert sorted(plan.sources, key=lambda source: last[source]) == list(plan.sources)
        places = {number: place for place, number in enumerate(lane.order)}
        for number, item in enumerate(plan.items):
            if item.repeats is not None:
                assert places[number] > places[item.repeats]
        gaps = [real[place + 1 :].index(source) + 1 for place, source in enumerate(real) if source in real[place + 1 :]]
        assert min(gaps) >= 10
    assert sorted(lane.order for lane in plan.lanes) != [plan.lanes[0].order] * 2


def test_a_maximum_takes_the_first_sources():
    _config, plan = plan_design(f"[selection]\nn = 40\n{RULE}maximum = 15\n", rows=build_candidates(40, 1))
    assert {item.source for item in plan.people_items} == set(plan.sources[:15]) and plan.chance == 15 / 40


def test_an_active_round_has_no_lanes_yet():
    _config, plan = plan_design(f'[selection]\nn = 20\nfor_people = "active"\nn_for_people = 10\n{TWO}')
    assert plan.lanes == () and plan.people is None and Facts().copied("a", "b") == 0.0


def test_the_form_writes_it():
    sketch = Sketch(name="A", template="macsum-yes-no", n=30, raters_per_item=2, seed=1, runs=[("r", "lead")],
                    judges=["j", "k"], people_share=30, active=True)  # fmt: skip
    config = parse_round(build_toml(sketch), NEWS)
    assert config.judging == Judging(("j", "k"), "ppi") and config.selection.for_people == ForPeople("active", 0, 0.3)
    stop = Sketch(name="A", template="macsum-yes-no", n=30, raters_per_item=2, seed=1, runs=[("r", "lead")],
                  people_share=100, stopping="width", width=20)  # fmt: skip
    assert parse_round(build_toml(stop), NEWS).stopping == Stopping("width", width=0.2)
