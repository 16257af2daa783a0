"""The examples of docs/library.md and docs/combined.md print what the pages say."""

import pytest

from tests.guards.checkout import ROOT
from tests.library.snippets import read_snippets, run_snippet

SNIPPETS = read_snippets(ROOT / "docs" / "library.md")
COMBINED = read_snippets(ROOT / "docs" / "combined.md")


def test_there_are_ten():
    assert len(SNIPPETS) == 10
    assert (ROOT / "docs" / "library.md").read_text(encoding="utf-8").count("```python") == 10


def test_every_example_of_combined_estimates_is_run():
    assert len(COMBINED) == (ROOT / "docs" / "combined.md").read_text(encoding="utf-8").count("```python") == 5


@pytest.mark.parametrize("snippet", [*SNIPPETS, *COMBINED], ids=[snippet.title for snippet in [*SNIPPETS, *COMBINED]])
def test_an_example_prints_what_the_page_says(snippet):
    assert run_snippet(snippet) == snippet.printed
