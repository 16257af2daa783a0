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
