"""Topic and speaker shares."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epitome.measures import SourceIndex
from epitome.measures.requested_names import parse_names
from epitome.measures.speaker import speaker_share
from epitome.measures.topic import topic_share, topic_words


@pytest.mark.parametrize(
    ("topics", "text", "wanted"),
    [
        ("remote control", "The Remote is new.", 1 / 2),  # by words, case-free
        ("design , cost", "Redesigned at no COST.", 1.0),  # also inside a word
        ("cost , cost , shape", "The cost.", 2 / 3),  # a word asked twice counts twice
        ("21 jump streets", "He jumps.", 1 / 2),  # alphabetic words only: jump, streets
        ("jury ; trial", "a trial by jury", 1.0),
        ("same-sex , u.s. , 2014", "same-sex in the u.s. in 2014", 0.0),  # no alphabetic word
        ("Industrial Designer 's desire", "the industrial designer", 2 / 3),
        ("children's rights", "rights of children", 1.0),
        ("climate (change)", "climate change", 1.0),
        ("topic", "", 0.0),
        (["remote control", "cost"], "remote cost", 2 / 3),
    ],
)
def test_topic_share(topics, text, wanted):
    assert float(topic_share(text, topics)) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("topics", ["", "  ", [], [" "], " , "])
def test_without_a_topic_there_is_no_share(topics):
    assert topic_share("anything", topics).undefined == "no topic requested"


def test_a_topic_words_order_and_doubles_are_kept():
    assert topic_words(["New Remote", "remote, U.S. case"]) == ["new", "remote", "remote", "case"]


TALK = [
    "Ann : {vocalsound} We need buttons .",
    "Bob Lee : Ann wants rubber , not wood .",
    "Cy : Wood is cheap .",
    "Ann : Then wood .",
]


def share(text: str, speakers: object, profile: str = "release", lines: list[str] = TALK) -> float:
    source = SourceIndex.from_lines(lines, "dialogue")
    return float(speaker_share(text, speakers, source, profile))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "speakers", "release", "literal"),
    [
        # content: need, buttons, steel; Ann said need and buttons
        ("We need buttons of steel.", "Ann", 2 / 3, 2 / 3),
        # the next speaker's name comes along with a turn: "bob", "lee" after Ann's first
        ("Bob Lee", "Ann", 1.0, 0.0),
        # Bob names Ann, so the chunk with her name gives what Cy says next
        ("cheap", "Ann", 1.0, 0.0),
        ("rubber", "Bob Lee", 1.0, 1.0),
        ("rubber wood", "bob lee , CY", 1.0, 1.0),
        ("rubber", "Dan", 0.0, 0.0),
        # stop words, marks and the transcript's own marks do not count
        ("We are . , ! vocalsound disfmarker buttons", "Ann", 1.0, 1.0),
        ("", "Ann", 0.0, 0.0),
        ("we are !", "Ann", 0.0, 0.0),
    ],
)
def test_speaker_share(text, speakers, release, literal):
    assert share(text, speakers) == pytest.approx(release, abs=1e-12)
    assert share(text, speakers, "literal") == pytest.approx(literal, abs=1e-12)


def test_a_name_with_a_comma_counts_as_several_in_the_release_only():
    lines = ["Hon. Ann Lee (Minister of Work, Trade) : taxes fall", "Trade Union : wages rise"]
    name = "Hon . Ann Lee ( Minister of Work , Trade )"
    assert share("wages", [name], "release", lines) == 0  # "trade )" stands nowhere as such
    assert share("taxes", [name], "release", lines) == 0
    assert share("taxes", name, "literal", lines) == 1  # compared by letters
    assert share("wages", name, "literal", lines) == 0


def test_without_a_speaker_there_is_no_share():
    source = SourceIndex.from_lines(TALK, "dialogue")
    for nobody in ("", [], " , "):
        assert speaker_share("buttons", nobody, source).undefined == "no speaker requested"


def test_a_requests_names():
    assert parse_names("a , b ; c ( d , e )") == ["a", "b", "c ( d , e )"]
    assert parse_names("1,000 ships , x") == ["1,000 ships", "x"]
    assert parse_names("a ( b , c") == ["a ( b", "c"]  # a bracket that is never closed holds nothing
    assert parse_names([" a , b ", ""]) == ["a , b"]
    assert parse_names(None) == []


@given(st.text(), st.text(), st.lists(st.text(), max_size=3), st.sampled_from(["release", "literal"]))
def test_shares_are_shares(text, request, lines, profile):
    source = SourceIndex.from_lines(lines, "dialogue")
    for value in (topic_share(text, request), speaker_share(text, request, source, profile)):
        assert value.undefined or 0 <= float(value) <= 1


@given(st.lists(st.sampled_from(["we", "need", "rubber", "Don't", "."]), min_size=1).map(" ".join))
def test_what_one_said_is_all_theirs(text):
    assert share(text, "Ann", "release", [f"Ann : {text}"]) in (0.0, 1.0)
    assert share(f"{text} rubber", "Ann", "literal", [f"Ann : {text} rubber"]) == 1.0
