"""Guidelines as HTML: what people write is shown, what could run is text."""

import pytest

from annotation.views.core.markdown import render_markdown
from epitome.schema import guideline_text


def test_a_guideline_becomes_headings_lists_and_tables():
    markdown = render_markdown(
        "# Title\n\nOne *two* **three**\n\n## Part\n\n- a\n- b\n\n| x | y |\n|---|---|\n| 1 | 2 |\n"
    )
    assert markdown.title == "Title"
    assert [(heading.id, heading.text) for heading in markdown.contents] == [("section-1", "Part")]
    assert '<p dir="auto">One <em>two</em> <strong>three</strong></p>' in markdown.html
    assert '<h2 id="section-1" dir="auto">Part</h2>' in markdown.html
    assert "<li" in markdown.html and '<table dir="ltr">' in markdown.html and "Title" not in markdown.html


def test_a_table_runs_as_its_first_word_does():
    assert '<table dir="ltr">' in render_markdown("| 1 | x |\n|---|---|\n| نص | y |\n").html
    assert '<table dir="rtl">' in render_markdown("| 1 | نص |\n|---|---|\n| x | y |\n").html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "a <b onmouseover=alert(1)>b</b>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](data:text/html,<script>alert(1)</script>)",
        "[x](//evil.example/)",
        "![x](https://evil.example/pixel.png)",
        '[x](https://example.org/"onclick="alert(1))',
        "`<script>`",
        "```\n<script>alert(1)</script>\n```",
        "| <script> |\n|---|\n| <iframe src=x> |",
        "[<img src=x>](https://example.org)",
    ],
)
def test_nothing_in_a_guideline_can_run(text):
    html = str(render_markdown(text).html)
    for bad in ("<script", "<img", "<iframe", "<b ", 'href="javascript', 'href="data', 'evil.example/"', '"onclick'):
        assert bad.lower() not in html.lower(), html


def test_links_to_the_web_stay():
    assert (
        '<a href="https://example.org/a?b=1&amp;c=2" rel="noopener">here</a>'
        in render_markdown("[here](https://example.org/a?b=1&c=2)").html
    )


@pytest.mark.parametrize("preset", ["macsum-doc", "macsum-dial", "ccsbench"])
def test_the_guidelines_of_the_presets_render_whole(preset):
    text = guideline_text(preset)
    markdown = render_markdown(text)
    assert markdown.title == text.splitlines()[0].removeprefix("# ")
    assert len(markdown.contents) == sum(line.startswith("## ") for line in text.splitlines())


GOOD_AND_BAD = """## Worked examples

All examples summarize this text:

> The library closed.

**Example 1.** Topic *rare books, maps*; Length long, no topic.
*300 rare books wait.*
Why it is good: it speaks of *books* only.

**Example 2, not good.** Length short.
*It is <b>closed</b>.*
What is wrong: nothing new.
"""


def test_an_example_is_a_card_of_chips_quote_and_verdict():
    html = str(render_markdown(GOOD_AND_BAD).html)
    first, second = html.split("<figure ")[1:]
    assert 'id="example-1"' in first and "Example 1 <" in first
    chip = '<span class="name">{}</span> <span class="value">{}</span>'
    assert chip.format("Topic", "rare books, maps") in first
    assert chip.format("Length", "long") in first
    assert '<span class="chip" dir="auto">no topic</span>' in first
    assert '<blockquote dir="auto">300 rare books wait.</blockquote>' in first
    assert "Why it is good: it speaks of <em>books</em> only." in first
    assert '<span class="status ok">good</span>' in first
    assert "not-good" in second and '<span class="status danger">not good</span>' in second
    assert "It is &lt;b&gt;closed&lt;/b&gt;." in second


def test_the_text_of_the_examples_stands_beside_them():
    html = str(render_markdown(GOOD_AND_BAD).html)
    text = html.split('<div class="examples-text">')[1].split("</div>")[0]
    assert "All examples summarize this text:" in text and "The library closed." in text
    assert html.count("<figure") == 2


def test_an_example_of_one_line_stays_a_paragraph():
    html = str(render_markdown("**Example 1.** Be short, as here.").html)
    assert html == '<p id="example-1" dir="auto"><strong>Example 1.</strong> Be short, as here.</p>'


def test_a_card_of_a_block_looks_alike():
    html = str(
        render_markdown("```example\nrequest: Length short\nsummary: The council met.\nwhy: One fact.\n```").html
    )
    assert '<span class="name">Length</span> <span class="value">short</span>' in html
    assert '<blockquote dir="auto">The council met.</blockquote><p dir="auto">One fact.</p>' in html
