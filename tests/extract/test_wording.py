"""What becomes of a sentence: cleaned, shortened, reported. No word is made up, no meaning turned round."""

import pytest

from epitome.measures import spacy_tagger
from epitome.systems.controlled_extract.compressing import list_readings
from epitome.systems.controlled_extract.letter_case import Casing
from epitome.systems.controlled_extract.reporting import past_of, to_reported_speech
from epitome.systems.controlled_extract.rewording import replace_phrases
from epitome.systems.controlled_extract.sentences import source_sentences
from epitome.systems.controlled_extract.speaker_names import build_lead, name_of
from epitome.systems.controlled_extract.spoken import clean_sentence, spoken_sentences
from epitome.systems.controlled_extract.tagging import tag_all
from epitome.systems.controlled_extract.variants import lower_first_letter


def tagged(text):
    return tag_all([text], spacy_tagger())[0]


@pytest.mark.parametrize(
    ("spoken", "written"),
    [
        ("Um so , uh we need a battery .", "We need a battery."),
        ("Okay , well , the the case is is large .", "The case is large."),
        ("I mean , you know , it works .", "It works."),
        ("The T_V_ has f for example two buttons .", "The TV has for example two buttons."),
        ("{vocalsound} It does n't work .", "It doesn't work."),
        ("We gonna sell it .", "We going to sell it."),
        ("Mr.Chair , we need a vote .", "We need a vote."),
        ("Thank you , Mr. Chair , we need a vote .", "We need a vote."),
        ("We need a vote , Madam Chair .", "We need a vote."),
    ],
)
def test_speech_is_cleaned(spoken, written):
    assert [text for text, _ in spoken_sentences(spoken)] == [written]


def test_an_opening_goes_with_its_comma_also_where_a_blank_stands_before_it():
    text = "However , the typical family of the old town pays more for its water."
    texts = [reading.text for reading in list_readings(text, tagged(text))]
    assert any(shorter.lower().startswith("the typical family") for shorter in texts)
    assert not any(shorter.startswith(",") for shorter in texts)


def test_a_broken_start_is_marked_as_broken():
    assert spoken_sentences("We have to {disfmarker} The case is large .") == [
        ("We have to", True),
        ("The case is large.", False),
    ]


def test_fillers_alone_are_nothing():
    assert clean_sentence("Um , uh , mm-hmm .") == ""


def test_a_shorter_reading_leaves_a_sentence():
    text = (
        "The council, which had rejected a similar plan in 2016, promised them compensation, because they were angry."
    )
    texts = [reading.text for reading in list_readings(text, tagged(text))]
    assert text.rstrip(".") in texts
    assert "The council promised them compensation" in texts


def test_who_said_it_stays():
    text = "The line is too expensive, said Tom Reuter."
    assert all("Reuter" in reading.text for reading in list_readings(text, tagged(text)))


@pytest.mark.parametrize("text", ["We do not need it because it is old.", "Nobody was hurt, although the bridge fell."])
def test_a_negation_stays(text):
    for reading in list_readings(text, tagged(text)):
        assert ("not" in reading.text.split()) == ("not" in text.split()) or "need" not in reading.text
        assert "Nobody" in reading.text or "hurt" not in reading.text


@pytest.mark.parametrize(
    ("own", "told"),
    [
        ("We need a larger case.", "They needed a larger case"),
        ("It is our best idea.", "It was their best idea"),
        ("I'm sure that we can sell it.", "They were sure that they could sell it"),
        ("It will cost five Euros.", "It would cost five Euros"),
    ],
)
def test_speech_is_reported(own, told):
    text = to_reported_speech(own, tagged(own), own.rstrip("."), past=True)
    assert text[:1].upper() + text[1:] == told


def test_reporting_without_tenses_changes_persons_alone():
    assert to_reported_speech("We need my case.", tagged("We need my case."), "We need my case", past=False) == (
        "they need their case"
    )


@pytest.mark.parametrize(
    ("verb", "tag", "past"),
    [("thinks", "VBZ", "thought"), ("plan", "VBP", "planned"), ("tries", "VBZ", "tried"), ("use", "VBP", "used")],
)
def test_the_past_of_a_verb(verb, tag, past):
    assert past_of(verb, tag) == past


def test_rewording_leaves_quotes_alone():
    assert replace_phrases('He said "it\'s right now" right now.') == 'He said "it\'s right now" now.'


def test_a_role_gets_an_article_and_a_name_none():
    assert name_of("Project Manager", start=True) == "The Project Manager"
    assert name_of("Kirsty Williams AM", start=True) == "Kirsty Williams AM"
    assert name_of("Hon. Navdeep Bains (Minister of Industry)", start=False) == "Hon. Navdeep Bains"


def test_leads_say_who_speaks():
    assert build_lead("PhD A", "that", joined=False, again=False) == "PhD A said that"
    assert build_lead("PhD A", "that", joined=False, again=True) == "PhD A added that"
    assert build_lead("PhD A", "that", joined=True, again=False) == ", while PhD A said that"
    assert build_lead("PhD A", "quote", joined=False, again=False, asks=True) == "PhD A asked,"


def test_a_word_that_begins_speech_is_written_small_unless_it_is_a_name():
    casing = Casing.of(["the buyers want rubber", "we asked Paris and Mr. Lee about it"])
    assert (
        lower_first_letter("Eighty percent agreed", tagged("Eighty percent agreed."), casing) == "eighty percent agreed"
    )
    assert lower_first_letter("Rubber is soft", tagged("Rubber is soft."), casing) == "rubber is soft"
    assert lower_first_letter("Paris is far", tagged("Paris is far."), casing) == "Paris is far"
    assert lower_first_letter("Mr. Lee is here", tagged("Mr. Lee is here."), casing) == "Mr. Lee is here"


@pytest.mark.parametrize(
    "text",
    ["Eighty percent of them, they were always, they meant they were happy .", "We haven'thought of anything yet ."],
)
def test_speech_that_starts_again_and_again_is_a_last_resort(text):
    sentences = source_sentences([{"speaker": "Marketing", "text": text}], "dialogue")
    assert all(sentence.flaw >= 0.9 for sentence in sentences)


def test_what_a_comma_closes_keeps_its_comma_before_who_said_it():
    text = "The pope accepted the resignation of Robert Finn, who led the diocese, the Vatican announced."
    shorter = [reading.text for reading in list_readings(text, tagged(text)) if "diocese" not in reading.text]
    assert all("Finn the" not in item for item in shorter)


def test_an_emphatic_word_inside_a_quote_stays():
    text = 'She was a "highly intelligent woman" and left the party.'
    assert all(
        '"highly intelligent' in reading.text for reading in list_readings(text, tagged(text)) if '"' in reading.text
    )
