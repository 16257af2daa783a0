"""`plan`: how many items people should judge, with and without a judge, for a budget or to find a difference."""

import json
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from epitome.cli.combine import read_joined
from epitome.cli.faults import CommandFault
from epitome.cli.options import add_json_option, bounded_number

if TYPE_CHECKING:
    from epitome.combined.advice import Advice, Wish
    from epitome.combined.planner import Assumptions, Costs, Plan

SUMMARY = "How many items people should judge, with and without a judge, for a budget or to find a difference."
EXAMPLES = (
    "epitome plan --budget 20 --minutes 2 --items 500 --rate .7",
    "epitome plan --budget 300 --price .2 --judge-price .001 --currency EUR --items 3000 --rate .7 --correlation .8",
    "epitome plan pilot.jsonl judge.jsonl --budget 40 --minutes 1.5 --items 2000 --systems bart lead",
)
MOST_ITEMS = 10_000_000
MINUTES_PER_HOUR = 60


def bounded_float(low: float, high: float) -> Callable[[str], float]:
    """Reads a number from low to high, for the parser."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise ArgumentTypeError(f"{text[:40]!r} is no number") from None
        if not low <= value <= high:
            raise ArgumentTypeError(f"{text[:40]!r} is not between {low:g} and {high:g}")
        return value

    return read


def add_arguments(parser: ArgumentParser) -> None:
    positive, share = bounded_float(1e-9, 1e12), bounded_float(0.001, 0.999)
    parser.add_argument("judgements", metavar="JUDGEMENTS", nargs="?", help="of a pilot, as for combine, or its rows")
    parser.add_argument("judge", metavar="JUDGE", nargs="?", help="the judge's answers about the pilot's items")
    parser.add_argument("--scale", action="append", default=[], metavar="QUESTION=LOW:HIGH", help="as for combine")
    parser.add_argument("--question", metavar="Q", help="of the pilot; needed where it has several")
    parser.add_argument("--systems", nargs=2, metavar="S", help="of the pilot: plan their difference")
    parser.add_argument("--rate", type=share, metavar="P", help="without a pilot: the share of yes that is expected")
    correlation = bounded_float(-1, 1)
    parser.add_argument(
        "--correlation", type=correlation, metavar="R", help="without a pilot: of people and judge, where there is one"
    )
    between = bounded_float(-1, 0.999)
    parser.add_argument(
        "--between", type=between, metavar="R", help="without a pilot: of two systems' answers, for their difference"
    )
    parser.add_argument("--budget", type=positive, required=True, metavar="B", help="in hours, or in money")
    cost = parser.add_mutually_exclusive_group(required=True)
    cost.add_argument("--minutes", type=positive, metavar="M", help="that a judgement takes: the budget is in hours")
    cost.add_argument("--price", type=positive, metavar="P", help="of a judgement: the budget is in money")
    parser.add_argument("--judge-price", type=bounded_float(0, 1e12), default=0.0, metavar="P", help="of the judge's")
    parser.add_argument("--currency", default="", metavar="C", help="a word for the unit of money, such as EUR")
    parser.add_argument("--raters", type=bounded_number(1, 1000), default=1, metavar="N", help="people per item (1)")
    parser.add_argument("--items", type=bounded_number(2, MOST_ITEMS), required=True, metavar="T", help="there are")
    parser.add_argument("--difference", type=share, default=0.1, metavar="D", help="to be found, 0 to 1 (0.1)")
    parser.add_argument("--power", type=share, default=0.8, metavar="P", help="with which it is found (0.8)")
    add_json_option(parser)


def run_plan(arguments: Namespace) -> str:
    """The plan as text or JSON. Raises CommandFault."""
    from epitome.combined.advice import advise_plan

    costs, wish = read_wish(arguments)
    about = read_pilot(arguments) if arguments.judgements else state_without_pilot(arguments)
    try:
        advice = advise_plan(about, costs, wish)
    except ValueError as error:
        raise CommandFault(str(error), status=2) from error
    return json.dumps(advice.as_dict(), ensure_ascii=False) if arguments.json else advice_text(advice)


def read_wish(arguments: Namespace) -> "tuple[Costs, Wish]":
    from epitome.combined.advice import Wish
    from epitome.combined.planner import Costs

    if arguments.minutes is not None and arguments.judge_price:
        raise CommandFault("--judge-price is money and --minutes is time: give --price for people too", status=2)
    of_one = arguments.price if arguments.minutes is None else arguments.minutes / MINUTES_PER_HOUR
    unit = arguments.currency if arguments.minutes is None else "hours"
    costs = Costs(of_one * arguments.raters, arguments.judge_price)
    subject = " and ".join(arguments.systems) if arguments.systems else "two systems"
    is_pair = arguments.systems or arguments.between is not None
    about = f"the difference of {subject}" if is_pair else "the mean of one system"
    wish = Wish(arguments.budget, unit, arguments.items, arguments.difference, arguments.power, about)
    return costs, wish if has_judge(arguments) else replace(wish, ways=("people",))


def has_judge(arguments: Namespace) -> bool:
    """Whether a judge is meant: a pilot has one, and without a pilot its correlation or its price is given."""
    return bool(arguments.judgements or arguments.correlation is not None or arguments.judge_price)


def state_without_pilot(arguments: Namespace) -> "Assumptions":
    """Raises CommandFault."""
    from epitome.combined.advice import state_assumptions

    if arguments.rate is None:
        message = "give the files of a pilot, or --rate as you expect it, with a judge also --correlation"
        raise CommandFault(message, status=2)
    if arguments.correlation is None and has_judge(arguments):
        raise CommandFault("--judge-price is of a judge: give --correlation of people and judge too", status=2)
    return state_assumptions(arguments.rate, arguments.correlation or 0.0, between=arguments.between)


def read_pilot(arguments: Namespace) -> "Assumptions":
    """What the pilot's items say. Raises CommandFault."""
    from epitome.combined.pilots import NoPilot, assume_from_rows

    superfluous = [f"--{name}" for name in ("rate", "correlation", "between") if getattr(arguments, name) is not None]
    if superfluous:
        raise CommandFault(f"{', '.join(superfluous)} is for plans without a pilot: leave it out", status=2)
    joined = read_joined(arguments.judgements, arguments.judge, arguments.scale)
    try:
        return assume_from_rows(joined.rows, arguments.question, arguments.systems)
    except NoPilot as error:
        raise CommandFault(str(error)) from error


def advice_text(advice: "Advice") -> str:
    """The answer first, then what it rests on."""
    about, wish = advice.about, advice.wish
    origin = f"from a pilot of {about.n_pilot} items" if about.n_pilot else "as stated"
    values = "differences" if wish.subject.startswith("the difference") else "values"
    lines = [advice.answer, "", f"Planned: {wish.subject}. Assumed, {origin}:"]
    judged = f"their correlation with the judge's {about.correlation:.2f}; " if len(wish.ways) > 1 else ""
    lines.append(
        f"  variance of people's {values} {about.variance:.3f}; {judged}"
        f"share of variance between sources {about.icc:.2f}; items per source {about.per_source:.1f}"
    )
    lines += ["", f"Half the width of the 95 % interval by budget, of {wish.total:,} items:"]
    for budget, plans in advice.curve:
        lines.append(f"  {wish.amount(budget):>16}  " + ("; ".join(map(_plan_text, plans)) or "pays for no plan"))
    lines += ["", f"To find a difference of {wish.difference:g} with power {wish.power:g}:"]
    lines += [f"  {line}" for line in _need_lines(advice)]
    return "\n".join(lines)


def _plan_text(plan: "Plan") -> str:
    from epitome.combined.advice import WAY_NAMES

    return f"{WAY_NAMES[plan.way]} ±{plan.half_width:.3f} (n {plan.n_human:,})"


def _need_lines(advice: "Advice") -> list[str]:
    from epitome.combined.advice import WAY_NAMES

    lines = []
    for priced in advice.needs:
        need = priced.need
        if priced.cost is None:
            text = f"{need.total:,} items are not enough: they find {need.found:.3f}"
        else:
            text = f"{need.n_human:,} of {need.total:,} items by people, {advice.wish.amount(priced.cost)}"
        lines.append(f"{WAY_NAMES[priced.way]}: {text}")
    return lines
