"""Every annotation tool whose exports are read, in the order in which lists show them. A new one is one entry here."""

from __future__ import annotations

from epitome.formats.tools.argilla import ARGILLA
from epitome.formats.tools.crowd import MTURK, TOLOKA
from epitome.formats.tools.doccano import DOCCANO
from epitome.formats.tools.label_studio import LABEL_STUDIO
from epitome.formats.tools.potato import POTATO
from epitome.formats.tools.prodigy import PRODIGY

MIN_SUMMARY_WORDS = 5
"""Mean words of a column of written answers from which on it is taken for summaries and not for labels."""
TOOLS = (LABEL_STUDIO, DOCCANO, ARGILLA, POTATO, PRODIGY, MTURK, TOLOKA)


def describe_tools() -> str:
    """The tools as a table in Markdown, as docs/importing.md has it."""
    lines = ["| tool | versions of which exports were read | what cannot be known |", "|---|---|---|"]
    lines += [f"| {tool.label} | {tool.versions} | {tool.cannot_know} |" for tool in TOOLS]
    return "\n".join(lines) + "\n"
