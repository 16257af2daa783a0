"""Options that several commands share."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable

MAX_REPLICATES = 100_000
MAX_SEED = 2**63 - 1
REPLICATES, SEED = 1000, 12345


def bounded_number(low: int, high: int) -> Callable[[str], int]:
    """Reads a whole number between low and high, for the parser."""

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise ArgumentTypeError(f"{text[:40]!r} is no whole number") from None
        if not low <= value <= high:
            raise ArgumentTypeError(f"{text[:40]!r} is not between {low} and {high}")
        return value

    return read


def add_interval_options(parser: ArgumentParser) -> None:
    """--bootstrap and --seed, of the intervals."""
    replicates, seed = bounded_number(1, MAX_REPLICATES), bounded_number(0, MAX_SEED)
    parser.add_argument("--bootstrap", type=replicates, default=REPLICATES, metavar="N", help="replicates (1000)")
    parser.add_argument("--seed", type=seed, default=SEED, metavar="S", help="of the intervals (12345)")


def add_json_option(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")
