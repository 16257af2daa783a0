"""What to change after a failure, recognized by the words of its message."""

import re
from typing import Literal

Remedy = Literal["memory", "process-memory", "weights", "library", "time", "length", "server", "budget"]
_SIGNS: tuple[tuple[Remedy, str], ...] = (
    ("process-memory", r"SIGKILL"),
    ("memory", r"out of memory|memory ran out|memory does not suffice|OutOfMemory"),
    ("weights", r"no weights \"|weights (?:are missing|cannot be loaded)|none of the weights"),
    ("library", r"not installed|install (?:it|them) with|needs torch"),
    ("time", r"no answer within"),
    ("length", r"max_text_tokens|max_source_tokens|longer than|too long|maximum context"),
    ("server", r"no chat server|EPITOME_CHAT_SERVERS|is not set where this system runs|cannot be reached"),
    ("budget", r"budget of"),
)


def find_remedies(message: str) -> list[Remedy]:
    """What may help, the likeliest first; [] where the message is of no known kind."""
    return [remedy for remedy, signs in _SIGNS if re.search(signs, message, re.IGNORECASE)]
