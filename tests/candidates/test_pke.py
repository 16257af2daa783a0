"""Our TopicRank against the authors' own program, where that is installed (extra `pke`)."""

import json

import pytest

from epitome.candidates.pke_extractor import METHODS
from epitome.candidates.protocol import get_extractor
from epitome.candidates.reading import tag_sources

pytest.importorskip(
    "pke", reason="pke IS NOT INSTALLED: agreement with it was NOT checked (make install-pke to check it)"
)


def sources_of(folder, domain):
    entries = json.loads((folder / "data" / "macsum" / domain / "val.json").read_text(encoding="utf-8"))
    for entry in entries:
        if domain == "macdoc":
            yield [{"speaker": "", "text": sentence} for sentence in entry["source"]]
        else:
            turns = (turn.split(":", 1) for turn in entry["source"])
            yield [{"speaker": speaker.strip(), "text": text.strip()} for speaker, text in turns]


@pytest.mark.parametrize("domain", ["macdoc", "macdial"])
def test_our_lists_agree_with_pke(shared, nlp, domain):
    ours, theirs = get_extractor("topicrank", nlp), get_extractor("pke:topicrank", nlp)
    agreement = []
    for doc in list(tag_sources(nlp, sources_of(shared, domain)))[:30]:
        a, b = ({topic.text.lower() for topic in extractor.rank(doc, 20)} for extractor in (ours, theirs))
        agreement.append(len(a & b) / len(a | b))
    assert sum(agreement) / len(agreement) >= 0.95
    assert min(agreement) >= 0.8


def test_our_lists_agree_with_pke_on_any_doc(shared, nlp):
    """Also where the Doc was made without us: the whole text at once, sentences by the pipeline."""
    from epitome.text.pipeline import load_pipeline

    full = load_pipeline()
    ours, theirs = get_extractor("topicrank", nlp), get_extractor("pke:topicrank", nlp)
    for source in list(sources_of(shared, "macdoc"))[:10]:
        doc = full(" ".join(segment["text"] for segment in source))
        a, b = ({topic.text.lower() for topic in extractor.rank(doc, 20)} for extractor in (ours, theirs))
        assert len(a & b) / len(a | b) >= 0.8


@pytest.mark.parametrize("method", METHODS)
def test_every_method_ranks_topics(nlp, method):
    extractor = get_extractor(f"pke:{method}", nlp)
    text = "Engineers opened the new lighthouse. The lighthouse guides fishing boats past the reef in winter storms."
    topics = extractor.extract([{"speaker": "", "text": text}], 4)
    assert [topic.rank for topic in topics] == [1, 2, 3, 4]
    assert "lighthouse" in " ".join(topic.text for topic in topics)
    assert {topic.text: topic.mentions for topic in topics}.get("fishing boats", 1) == 1
    assert extractor.extract([]) == []
    assert extractor.key == f"pke:{method}"
