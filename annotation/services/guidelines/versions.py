"""Reading guideline versions: their worked examples."""

import re

# "**Example 3.** ..." or "### Example 3"; the word is in the guideline's language.
EXAMPLE = re.compile(r"^(?:#{1,6} +|\*\*)([^\W\d_]+ \d+)\b", re.MULTILINE)
NAME = re.compile(r"[^\W\d_]+ \d+\b")


def example_names(text: str) -> list[str]:
    """The worked examples of a Markdown text, in order: paragraphs or headings that begin with a word and a number."""
    return EXAMPLE.findall(text)


def is_example(words: str) -> bool:
    """Whether a paragraph or heading that opens with these words is a worked example."""
    return NAME.match(words) is not None
