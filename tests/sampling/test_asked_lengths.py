"""What lengths ask for on the texts of a draw, in words."""

from epitome.sampling import SamplerOptions, dry_run, plan_project
from epitome.sampling.asked_lengths import list_asked_lengths
from epitome.schema import load_preset

DOC, SHORT = load_preset("macsum-doc"), load_preset("short-articles")


def by_value(schema, median_words, segment_words):
    rows = list_asked_lengths(schema, median_words, segment_words)
    return {row.value: (row.whole, row.marked, row.fewest(median_words)) for row in rows}


def test_shares_of_a_short_text_ask_for_a_few_words():
    """120 words: 5.4 to 7.2, 10.8 to 13.8, 16.8 to 19.8; of a sentence of 18 words: .81 to 1.08, 1.62 to 2.07, 2.52 to
    2.97, in whole words and at least one."""
    assert by_value(DOC, 120, 18) == {
        "short": ((6, 7), (1, 1), 1),
        "normal": ((11, 13), (2, 2), 2),
        "long": ((17, 19), (3, 3), 3),
    }


def test_a_long_text_is_judged_as_a_whole():
    """650 words: one marked sentence is shown, but does not warn."""
    assert by_value(DOC, 650, 25)["short"] == ((30, 39), (2, 2), None)
    assert by_value(DOC, 650, 25)["long"] == ((91, 107), (4, 4), None)


def test_lengths_in_words_are_the_same_on_every_text():
    for words in (60, 120, 5000):
        assert by_value(SHORT, words, 18) == {
            "short": ((8, 20), None, None),
            "normal": ((21, 40), None, None),
            "long": ((41, 60), None, None),
        }


def test_a_dry_run_says_what_lengths_ask_for_and_warns():
    plans = plan_project([("a", 100), ("b", 120), ("c", 400)], DOC, SamplerOptions(per_source=7))
    run = dry_run(plans, DOC, 10, segment_words=18.2)
    assert (run.median_words, run.segment_words) == (120, 18.2)
    assert [row.value for row in run.asked_lengths] == ["short", "normal", "long"]
    short = [(warning.value, warning.n) for warning in run.warnings if warning.kind == "short-length"]
    assert short == [("short", 1), ("normal", 2), ("long", 3)]
    assert "length     normal  11 to 13" in run.as_text()
    assert "warning: length long asks for 3 words at most: give its range in words" in run.as_text()


def test_without_a_topic_only_the_whole_text_counts():
    plans = plan_project([("a", 120)], DOC, SamplerOptions(per_source=3))
    run = dry_run(plans, DOC, 10, segment_words=18)
    assert [row.marked for row in run.asked_lengths] == [None, None, None]
    assert [(warning.value, warning.n) for warning in run.warnings if warning.kind == "short-length"] == [("short", 7)]


def test_an_empty_draw_asks_for_nothing():
    run = dry_run([], DOC, 10)
    assert (run.asked_lengths, run.median_words, run.warnings) == ((), 0, [])
