"""What a command prints and exits with, where the status is not simply 0."""

from typing import NamedTuple


class Outcome(NamedTuple):
    """text: what is printed on standard output; status: the exit status."""

    text: str
    status: int = 0
