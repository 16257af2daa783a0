"""From segments to topics with the shipped pipeline: the page's twenty candidates."""

import sys

import pytest

from epitome.candidates import reading
from epitome.candidates.pke_extractor import METHODS
from epitome.candidates.protocol import ExtractorNotAvailable, extractor_names, get_extractor
from epitome.candidates.reading import (
    MAX_CHARACTERS,
    MAX_RUN,
    SearchFault,
    find_search_fault,
    searched_text,
    tag_sources,
)
from epitome.text.pipeline import pipeline_id
from epitome.text.sentences import segments_of

NEWS = segments_of(
    "(CNN)Harbour engineers opened the new lighthouse on Monday. The lighthouse guides fishing boats past the reef. "
    "Fishing boats had struck the reef in winter storms. Engineers say winter storms will grow stronger. "
    "The town council paid for the lighthouse with a tourist tax."
)
MEETING = [
    {"speaker": "Remote Manager", "text": "So {disfmarker} um the remote control needs a {vocalsound} plastic case ."},
    {"speaker": "Designer", "text": "{vocalsound}"},
    {"speaker": "Designer", "text": "Um the uh plastic case [laughter] is cheap . The battery lasts a year ."},
    {"speaker": "Remote Manager", "text": "Mm-hmm . And the battery ?"},
]


@pytest.fixture(scope="session")
def topicrank(nlp):
    return get_extractor("topicrank", nlp)


def test_a_news_text_gives_its_topics_best_first(topicrank):
    topics = topicrank.extract(NEWS)
    texts = [topic.text for topic in topics]
    assert {"winter storms", "Harbour engineers", "reef", "new lighthouse"} <= set(texts[:5])
    assert len(set(texts)) == len(texts)
    assert [topic.rank for topic in topics] == list(range(1, len(topics) + 1))
    assert [topic.score for topic in topics] == sorted((topic.score for topic in topics), reverse=True)
    mentions = {topic.text: topic.mentions for topic in topics}
    assert mentions["winter storms"] == 2
    assert mentions["new lighthouse"] == 2  # "new lighthouse" and "lighthouse" are one topic
    assert mentions["tourist tax"] == 1


def test_the_agency_mark_is_no_part_of_the_first_name(topicrank):
    topics = topicrank.extract(segments_of("(CNN)Jackson built a suit. Jackson wore it."))
    assert "Jackson" in [topic.text for topic in topics]
    assert not any("cnn)" in topic.text for topic in topics)


def test_topics_of_a_meeting_are_what_was_said(topicrank):
    texts = [topic.text for topic in topicrank.extract(MEETING)]
    assert {"remote control", "plastic case", "battery"} <= set(texts)
    joined = " ".join(texts)
    for unsaid in ("manager", "designer", "disfmarker", "vocalsound", "laughter", "uh", "um", "mm-hmm"):
        assert unsaid not in joined.split()


def test_sounds_of_thinking_are_no_topics(topicrank):
    segments = [{"text": "The uh wood is for the marketing uh expert ."}, {"text": "Mm-hmm . Uh-huh ."}]
    assert sorted(topic.text for topic in topicrank.extract(segments)) == ["expert", "marketing", "wood"]


def test_marks_become_blanks_so_that_places_stay():
    text, starts = searched_text(MEETING)
    spoken = " ".join(segment["text"] for segment in MEETING)
    assert len(text) == len(spoken)
    assert starts == [0, 74, 87, 159]
    assert [spoken[start : start + 5] for start in starts] == ["So {d", "{voca", "Um th", "Mm-hm"]
    assert text[:28] == "So              um the remot"
    assert text[74:89] == " " * 13 + "Um"
    assert text[97:124] == "plastic case            is "
    stored, _ = searched_text([{"text": "He cited {2} and [the act]."}])
    assert stored == "He cited {2} and [the act]."


def test_a_phrase_does_not_run_over_a_mark_or_a_segment_border(topicrank):
    split = [{"text": "We like the stone {gap} bridge"}, {"text": "Mill River is wide"}]
    texts = [topic.text for topic in topicrank.extract(split)]
    assert "stone bridge" not in texts
    assert "bridge Mill River" not in texts
    assert "Mill River" in texts


def test_segments_are_the_sentences_of_the_doc(nlp):
    turns = [{"text": "One. Two."}, {"text": ""}, {"text": "Three."}]
    (doc,) = tag_sources(nlp, [turns])
    assert [sentence.text for sentence in doc.sents] == ["One. Two.", "Three."]


@pytest.mark.parametrize("segments", [[], [{"text": ""}], [{"text": " "}], [{"text": "Yes ."}, {"text": "{gap}"}]])
def test_a_source_without_phrases_has_no_topics(topicrank, segments):
    assert topicrank.extract(segments) == []


def test_a_very_long_source_is_read_up_to_a_bound():
    text, starts = searched_text([{"text": "x" * 100_000}] * 40)
    assert len(text) <= MAX_CHARACTERS
    assert len(starts) == 3


def test_many_sources_give_the_lists_of_each_in_order(topicrank):
    sources = [NEWS, MEETING, [], NEWS]
    lists = list(topicrank.extract_many(sources, 5))
    assert [len(topics) for topics in lists] == [5, 5, 0, 5]
    assert lists[0] == lists[3]
    assert [[topic.text for topic in topics] for topics in lists] == [
        [topic.text for topic in topicrank.extract(source, 5)] for source in sources
    ]


def test_key_and_version_say_who_ranked_with_which_weights(topicrank, nlp):
    assert topicrank.key == "topicrank"
    assert topicrank.version == f"2 {pipeline_id(nlp)}"


def test_an_unknown_extractor_is_refused_with_the_names_that_work(nlp):
    with pytest.raises(ExtractorNotAvailable, match="EPITOME_TOPIC_EXTRACTOR='rake' is unknown; use one of topicrank"):
        get_extractor("rake", nlp)
    with pytest.raises(ExtractorNotAvailable, match="'pke:rake' is unknown"):
        get_extractor("pke:rake", nlp)
    assert extractor_names() == ["topicrank", *(f"pke:{method}" for method in METHODS)]


def test_pke_missing_says_how_to_install_it(nlp, monkeypatch):
    monkeypatch.setitem(sys.modules, "pke", None)
    with pytest.raises(ExtractorNotAvailable, match=r"Install the extra with: pip install 'epitome\[pke\]'"):
        get_extractor("pke:topicrank", nlp)


class CountedTokenizer:
    """Counts the work that spaCy's tokenizer would have: its time grows with the square of a run without a space."""

    def __init__(self, tokenizer):
        self.tokenizer, self.work, self.infix_finditer = tokenizer, 0, tokenizer.infix_finditer

    def __call__(self, text):
        self.work += sum(len(run) ** 2 for run in text.split())
        return self.tokenizer(text)


@pytest.mark.parametrize("sign", "($'a")
def test_a_long_run_without_a_space_is_not_given_to_the_tokenizer(nlp, sign, monkeypatch):
    counted = CountedTokenizer(nlp.tokenizer)
    monkeypatch.setattr(nlp, "tokenizer", counted)
    text = "The old bridge fell. " + sign * 249_000 + " Another bridge stands."
    (doc,) = tag_sources(nlp, [[{"text": text}]])
    assert counted.work < 1000
    assert [token.text for token in doc if token.text == "bridge"] == ["bridge", "bridge"]
    second = next(token for token in doc if token.text == "Another")
    assert text[second.idx :].startswith("Another bridge")  # offsets are those of the source


def test_a_run_of_the_greatest_length_is_read(nlp):
    run = "x" * MAX_RUN
    assert searched_text([{"text": f"a {run} b"}])[0] == f"a {run} b"
    assert searched_text([{"text": f"a {run}x b"}])[0] == "a" + " " * (MAX_RUN + 3) + "b"


def test_only_rows_of_signs_and_very_long_words_are_a_fault(nlp):
    def fault(text):
        return find_search_fault(nlp, [{"text": text}])

    assert fault("(" * 5_000_000) == SearchFault.HARDLY_ANY_SPACES
    assert fault(("$" * MAX_RUN + " ") * 1200) == SearchFault.TOO_MUCH_WORK
    assert fault("A bridge, seen from the river. " * 8000) is None
    assert fault("See " + "https://example.org/" * 30 + " for " + "the words of the council. " * 30) is None
    assert fault("") is None


def test_a_tokenizer_that_needs_no_spaces_reads_texts_without_them():
    import spacy

    nlp = spacy.blank("en")
    nlp.tokenizer = lambda text: spacy.tokens.Doc(nlp.vocab, words=list(text), spaces=[False] * len(text))
    text = "桥" * (MAX_RUN + 100)
    assert find_search_fault(nlp, [{"text": text}]) is None
    (doc,) = tag_sources(nlp, [[{"text": text}]])
    assert len(doc) == len(text)


def test_more_tokens_than_can_be_tagged_in_some_seconds_are_cut_off(nlp, monkeypatch):
    monkeypatch.setattr(reading, "MAX_TOKENS", 50)
    (doc,) = tag_sources(nlp, [[{"text": "( " * 100}]])
    assert len(doc) == 50
