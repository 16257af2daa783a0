"""What changed between two guidelines: nothing is lost, and a changed phrase is one phrase."""

from hypothesis import given, settings
from hypothesis import strategies as some

from annotation.schema import guideline_text
from annotation.services.guidelines.versions import example_names
from annotation.text.diff import diff_texts, diff_words
from annotation.views.core.markdown import render_markdown

LINES = some.lists(some.sampled_from(["a b c", "a x c", "", "## T", "**Example 1.** q", "é 🚢"]), max_size=8)


def test_a_changed_phrase_is_one_phrase():
    found = diff_texts("One.\nGive a title of a few words.\n", "One.\nGive a title of at most six words.\n")
    assert [(one.kind, one.text) for one in found if one.kind != "same"] == [
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
        assert "".join(one.text for one in pieces if one.kind != "added") == old
        assert "".join(one.text for one in pieces if one.kind != "removed") == new


def test_far_unchanged_lines_are_left_out():
    lines = [f"line {n}" for n in range(40)]
    found = diff_texts("\n".join(lines), "\n".join([*lines[:20], "changed", *lines[21:]]))
    shown = "".join(one.text for one in found)
    assert "line 18" in shown and "line 22" in shown and "line 5" not in shown
    assert [one.kind for one in found].count("gap") == 2


def test_worked_examples_are_found_in_any_language_and_linked():
    assert len(example_names(guideline_text("macsum-doc"))) == 10
    text = "# T\n\n**Beispiel 1.** Gut.\n\n### مثال 2\n\nText.\n\n## Example 3\n\nA **12** and **bold 4** inside."
    assert example_names(text) == ["Beispiel 1", "مثال 2", "Example 3"]
    found = render_markdown(text)
    assert [one.id for one in found.examples] == ["example-1", "example-2", "section-1"]
    assert all(f'id="{one.id}"' in found.html for one in found.examples)


def test_a_word_diff_ignores_the_space_after_words():
    pieces = diff_words("One two  three.", "One 2 three.")
    assert [(piece.kind, piece.text) for piece in pieces] == [
        ("same", "One "),
        ("removed", "two  "),
        ("added", "2 "),
        ("same", "three."),
    ]
    assert [piece.kind for piece in diff_words("One  two", "One two")] == ["same"]
