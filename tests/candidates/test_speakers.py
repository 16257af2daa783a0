from epitome.candidates.speakers import SpeakerCandidate, list_speakers
from epitome.text.sentences import segments_of


def test_speakers_come_in_order_of_appearance_as_written():
    turns = [
        {"speaker": "Hon. Ada Low (Minister of Trade, Science)", "text": "Thank you ."},
        {"speaker": "PhD A", "text": "Um {disfmarker} yes ."},
        {"speaker": "Hon. Ada Low (Minister of Trade, Science)", "text": "It is\u00a0late ."},
        {"speaker": "phd a", "text": ""},
    ]
    assert list_speakers(turns) == [
        SpeakerCandidate("Hon. Ada Low (Minister of Trade, Science)", turns=2, words=7, rank=1),
        SpeakerCandidate("PhD A", turns=1, words=4, rank=2),
        SpeakerCandidate("phd a", turns=1, words=0, rank=3),
    ]


def test_documents_have_no_speakers():
    assert list_speakers(segments_of("One came. Two went.")) == []
    assert list_speakers([{"text": "No speaker key."}]) == []
