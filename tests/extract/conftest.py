"""A news text and a meeting to summarize, and one controlled-extract for all tests."""

from collections.abc import Callable, Sequence

import pytest

from epitome.schema import Schema, load_preset
from epitome.systems.controlled_extract.system import ControlledExtract
from epitome.systems.protocol import Generator, Output, Request, RequestValue
from epitome.systems.registry import config_of, make_system

NEWS = """
The city council of Marlow approved a new tram line on Tuesday after nine years of debate. The line will connect the
harbour with the university and is expected to carry 40,000 passengers a day. Construction will cost 310 million euros,
of which the state pays two thirds. "This is the largest project in the history of our city," said Mayor Ellen Brandt.
Shop owners along the route fear that three years of building work will drive their customers away. The council, which
had rejected a similar plan in 2016, promised them 12 million euros in compensation. Trade association head Tom Reuter
called the sum insufficient, because many shops make most of their profit in summer. Engineers will begin to move water
pipes in March, before the first rails are laid near the harbour. The harbour bridge from 1931 must be strengthened to
carry the trams. Environmental groups welcomed the decision, although 140 trees will be felled. For every tree that is
cut down, two will be planted along the river. The university expects that parking problems on its campus will end.
Students had collected 18,000 signatures for the tram. However, some residents of the old town plan to go to court. They
fear noise and cracks in their historic houses. A court could delay the start of construction by a year. The first tram
is supposed to run in autumn 2029. Tickets will cost as much as bus tickets do today.
"""
MEETING = (
    ("Project Manager", "Okay , um so our aim today is to decide on the battery and the case of the remote control ."),
    ("Marketing", "Yeah . {vocalsound}"),
    (
        "Industrial Designer",
        "Well , I think we should use a solar battery because it saves a lot of money for the users .",
    ),
    (
        "Industrial Designer",
        "The the solar battery needs a larger case , {disfmarker} um about three centimetres .",
    ),
    ("User Interface", "But a larger case is uh hard to hold for children , and our tests showed that clearly ."),
    ("Project Manager", "How large is the case now ?"),
    ("Industrial Designer", "It's two centimetres , and we can't make it smaller with the solar battery ."),
    ("Marketing", "Our survey says that eighty percent of the buyers want a fancy look ."),
    ("Marketing", "They would pay five Euros more for a remote control that looks fancy ."),
    ("Project Manager", "I want a decision on the battery before we talk about the look ."),
    ("User Interface", "I prefer the simple battery , because the buttons need some room in the case ."),
    ("Industrial Designer", "The simple battery costs one Euro and lasts for two years ."),
    ("Project Manager", "So we take the simple battery , and the case stays at two centimetres ."),
    ("Marketing", "I will ask the buyers again whether they like the rubber case ."),
    ("User Interface", "The rubber case feels soft , and it does not break when it falls ."),
    ("Project Manager", "The next meeting is on Monday , and everybody brings a drawing of the buttons ."),
)


def news_segments() -> list[dict[str, str]]:
    from epitome.text.sentences import segments_of

    return [{"speaker": "", "text": segment["text"]} for segment in segments_of(" ".join(NEWS.split()))]


def meeting_segments() -> list[dict[str, str]]:
    return [{"speaker": speaker, "text": text} for speaker, text in MEETING]


def request_of(segments: Sequence[dict[str, str]], schema: Schema | str, **values: RequestValue) -> Request:
    known = load_preset(schema) if isinstance(schema, str) else schema
    return Request("sample", tuple(segments), values, known)


def requests_of_both() -> list[Request]:
    """One of the meeting and one of the news text."""
    values = {"length": "long", "extractiveness": "high", "specificity": "high", "topic": ("case", "battery")}
    return [
        request_of(meeting_segments(), "macsum-dial", **values),
        request_of(news_segments(), "macsum-doc", **values),
    ]


@pytest.fixture(scope="session")
def extract() -> Generator:
    system = make_system(config_of("controlled-extract"))
    assert isinstance(system, ControlledExtract)
    return system


Ask = Callable[..., Output]


@pytest.fixture
def about_news(extract: Generator) -> Ask:
    """The output for the news text; what is not named is normal."""

    def ask(**values: RequestValue) -> Output:
        usual = {"length": "normal", "extractiveness": "normal", "specificity": "normal"}
        return extract.generate([request_of(news_segments(), "macsum-doc", **{**usual, **values})])[0]

    return ask


@pytest.fixture
def about_meeting(extract: Generator) -> Ask:
    """The output for the meeting; what is not named is normal."""

    def ask(**values: RequestValue) -> Output:
        usual = {"length": "normal", "extractiveness": "normal", "specificity": "normal", "topic": ("battery",)}
        return extract.generate([request_of(meeting_segments(), "macsum-dial", **{**usual, **values})])[0]

    return ask
