"""Parses what a round's file says of judges, of items for people and of stopping. Raises SchemaError."""

from typing import cast, get_args

from epitome.rounds.certainty import CORRELATION, LEAST_CHANCE, Choice, Combine, ForPeople, Judging, Rule, Stopping
from epitome.rounds.config import Exclusion, RoundConfig
from epitome.rounds.templates import read_texts
from epitome.schema.tables import Table

FOR_PEOPLE = ("for_people", "n_for_people", "share_for_people", "least_chance")
JUDGE = ("systems", "combine", "pilot", "correlation")
STOPPING = ("rule", "look", "width", "questions", "maximum")
LOOK = "after every source"
MOST_JUDGES = 10


def read_for_people(table: Table) -> ForPeople:
    """From the keys `FOR_PEOPLE` of [selection]."""
    if "n_for_people" in table.data and "share_for_people" in table.data:
        table.fail("share_for_people", "says the same as n_for_people; leave one of them out")
    n = table.whole("n_for_people", 0, least=1, most=100_000) if "n_for_people" in table.data else 0
    share = table.number("share_for_people", 0.0, least=0.001, most=1.0) if "share_for_people" in table.data else 0.0
    return ForPeople(
        choice=cast(Choice, table.choice("for_people", get_args(Choice), "random")),
        n=n,
        share=share,
        least_chance=table.number("least_chance", LEAST_CHANCE, least=0.01, most=1.0),
    )


def _judge_table(top: Table) -> Table:
    return top.table("judge", JUDGE)


def read_judging(top: Table) -> Judging:
    table = _judge_table(top)
    systems = read_texts(table, "systems", max_items=MOST_JUDGES, max_length=60)
    if len(set(systems)) != len(systems):
        table.fail("systems", "names a judge twice")
    return Judging(
        systems=tuple(systems),
        combine=cast(Combine, table.choice("combine", get_args(Combine), "none")),
        pilot=table.text("pilot", "", most=120),
        correlation=table.number("correlation", CORRELATION, most=0.99),
    )


def _stopping_table(top: Table) -> Table:
    return top.table("stopping", STOPPING)


def read_stopping(top: Table) -> Stopping:
    table = _stopping_table(top)
    rule = cast(Rule, table.choice("rule", get_args(Rule), "fixed"))
    table.choice("look", (LOOK,), LOOK)
    if (rule == "width") != ("width" in table.data):
        table.fail("width", 'goes with rule = "width", and only with it')
    for key in ("questions", "maximum", "look"):
        if rule == "fixed" and key in table.data:
            table.fail(key, 'goes with rule = "width" or "decided": a fixed round does not stop early')
    return Stopping(
        rule=rule,
        width=table.number("width", 0.0, least=0.01, most=2.0) if rule == "width" else 0.0,
        questions=tuple(read_texts(table, "questions", max_items=50, max_length=60)),
        maximum=table.whole("maximum", 0, least=1, most=100_000) if "maximum" in table.data else 0,
    )


def check_certainty(top: Table, selection: Table, config: RoundConfig) -> None:
    """Whether judges, items for people and stopping go together, and with the form. Raises SchemaError."""
    _check_for_people(selection, config)
    _check_judges(_judge_table(top), config)
    if config.stopping.looks:
        _check_stopping(_stopping_table(top), selection, config)


def _check_judges(table: Table, config: RoundConfig) -> None:
    judging = config.judging
    if not judging.systems:
        for key in ("combine", "pilot", "correlation"):
            if key in table.data and table.data[key] != "none":
                table.fail(key, 'needs "systems": the keys of the judges')
        return
    if config.form == "list":
        table.fail("systems", "judges answer about one summary or two; this form shows a list")
    if not config.certain_questions:
        table.fail("systems", "there is no question that judges are asked: yes-no, likert, side or preference")
    if judging.combine == "ppi" and config.pairs.by == "value":
        table.fail("combine", "pairs by value compare no systems")
    if judging.combine == "ppi" and not (config.selection.for_people.is_part or config.stopping.looks):
        table.fail("combine", "has nothing to add: people judge all items; set n_for_people or share_for_people in "
                   "[selection], or a rule in [stopping]")  # fmt: skip


def _check_for_people(table: Table, config: RoundConfig) -> None:
    chosen, judging = config.selection.for_people, config.judging
    if chosen.is_part and not judging.systems:
        key = "n_for_people" if chosen.n else "share_for_people"
        table.fail(key, "leaves items that nobody judges: name systems in [judge], or ask for fewer with n")
    if chosen.choice == "random":
        if "least_chance" in table.data:
            table.fail("least_chance", 'goes with for_people = "active": at random all chances are equal')
        return
    if not judging.systems:
        table.fail("for_people", 'active goes by the doubts of judges: name systems in [judge], or use "random"')
    if not chosen.is_part:
        table.fail("for_people", "active needs n_for_people or share_for_people: how many samples people judge")
    if judging.combine != "ppi":
        table.fail("for_people", 'active gives unequal chances, which only combined estimates allow for: set combine '
                   '= "ppi" in [judge]')  # fmt: skip
    if chosen.share and chosen.share < chosen.least_chance:
        table.fail("least_chance", f"is more than the share of samples for people, {chosen.share:g}")
    if config.quality.repeats:
        table.fail("for_people", "active chooses items after the launch, when repeats are already fixed; use foils")
    if not _has_doubts(config):
        table.fail("for_people", "one judge that says yes or no shows no doubt to choose by: name a second judge in "
                   "[judge], or a pilot")  # fmt: skip


def _has_doubts(config: RoundConfig) -> bool:
    """Whether the judges' answers can separate doubtful items from others."""
    if len(config.judging.systems) > 1 or config.judging.pilot:
        return True
    return any(question.asks.is_scale or question.about == "pair" for question in config.certain_questions)


def _check_stopping(table: Table, selection: Table, config: RoundConfig) -> None:
    rule = f'rule = "{config.stopping.rule}"'
    if config.is_contrastive or config.form == "list" or (config.form == "pair" and config.pairs.by == "value"):
        table.fail("rule", f"{rule} compares systems by one summary or two at a time; this form does not")
    if len(config.targets) < 2:
        table.fail("rule", f"{rule} compares systems: declare another target")
    if config.selection.draw == "independent":
        selection.fail("draw", f'{rule} compares systems on the same samples: use "same"')
    if config.selection.for_people.is_part:
        key = next(key for key in FOR_PEOPLE if key in selection.data)
        selection.fail(key, f"{rule} takes whole sources in a fixed order: say maximum in [stopping] instead")
    if config.exclusion != Exclusion():
        table.fail("rule", f"{rule} counts answers as they come; [exclusion] would take some back afterwards")
    asked_keys = [question.shared_key for question in config.certain_questions]
    for key in config.stopping.questions:
        if key not in asked_keys:
            table.fail("questions", f'"{key[:40]}" cannot be compared; there are {", ".join(asked_keys) or "none"}')
    if not asked_keys:
        table.fail("rule", f"{rule} needs a question of the type yes-no, likert, side or preference")
