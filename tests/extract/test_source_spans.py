"""Spans of an output lead from the summary back to the source."""

from tests.extract.conftest import news_segments


def test_spans_point_from_the_summary_to_the_sentences_it_was_made_of(about_news):
    output = about_news(length="long")
    segments = news_segments()
    assert output.decoding["spans"]
    for start, end, segment, source_start, source_end in output.decoding["spans"]:
        ours = {word.strip('.,"').lower() for word in output.text[start:end].split()}
        theirs = {word.strip('.,"').lower() for word in segments[segment]["text"][source_start:source_end].split()}
        assert len(ours & theirs) >= 0.4 * len(ours)
