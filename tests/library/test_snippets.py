"""The examples of docs/library.md print what the page says."""

import pytest

from tests.guards.checkout import ROOT
from tests.library.snippets import read_snippets, run_snippet

SNIPPETS = read_snippets(ROOT / "docs" / "library.md")


def test_there_are_eight():
    assert len(SNIPPETS) == 8
    assert (ROOT / "docs" / "library.md").read_text(encoding="utf-8").count("```python") == 8


@pytest.mark.parametrize("snippet", SNIPPETS, ids=[snippet.title for snippet in SNIPPETS])
def test_an_example_prints_what_the_page_says(snippet):
    assert run_snippet(snippet) == snippet.printed
