"""What changed between two guidelines: nothing is lost, and a changed phrase is one phrase."""

from hypothesis import given, settings
from hypothesis import strategies as some

from annotation.services.guidelines.versions import example_names
from annotation.views.core.markdown import render_markdown
from epitome.schema import guideline_text
from epitome.text.diff import diff_texts, diff_words

LINES = some.lists(some.sampled_from(["a b c", "a x c", "", "## T", "**Example 1.** q", "é 🚢"]), max_size=8)


def test_a_changed_phrase_is_one_phrase():
    result = diff_texts("One.\nGive a title of a few words.\n", "One.\nGive a title of at most six words.\n")
    assert [(item.kind, item.text) for item in result if item.kind != "same"] == [
        ("removed", "a few"),
        ("added", "at most six"),
    ]


@settings(max_examples=150)
@given(LINES, LINES)
def test_both_texts_can_be_read_off_the_difference(before, after):
    old, new = "\n".join(before), "\n".join(after)
    pieces = diff_texts(old, new, context=100)
    assert bool(pieces) == (old != new)
    if pieces:
        assert "".join(piece.text for piece in pieces if piece.kind != "added") == old
        assert "".join(piece.text for piece in pieces if piece.kind != "removed") == new


def test_far_unchanged_lines_are_left_out():
    lines = [f"line {n}" for n in range(40)]
    result = diff_texts("\n".join(lines), "\n".join([*lines[:20], "changed", *lines[21:]]))
    text = "".join(item.text for item in result)
    assert "line 18" in text and "line 22" in text and "line 5" not in text
    assert [item.kind for item in result].count("gap") == 2


def test_worked_examples_are_found_in_any_language_and_linked():
    assert len(example_names(guideline_text("macsum-doc"))) == 10
    text = "# T\n\n**Beispiel 1.** Gut.\n\n### مثال 2\n\nText.\n\n## Example 3\n\nA **12** and **bold 4** inside."
    assert example_names(text) == ["Beispiel 1", "مثال 2", "Example 3"]
    markdown = render_markdown(text)
    assert [example.id for example in markdown.examples] == ["example-1", "example-2", "section-1"]
    assert all(f'id="{example.id}"' in markdown.html for example in markdown.examples)


def test_a_word_diff_ignores_the_space_after_words():
    pieces = diff_words("One two  three.", "One 2 three.")
    assert [(piece.kind, piece.text) for piece in pieces] == [
        ("same", "One "),
        ("removed", "two  "),
        ("added", "2 "),
        ("same", "three."),
    ]
    assert [piece.kind for piece in diff_words("One  two", "One two")] == ["same"]
