"""The shipped pipeline loads without a download, says what it is, and cuts tokens as topics need them."""

import json
import shutil
from pathlib import Path

import pytest

from epitome.text.pipeline import SHIPPED, PipelineNotFound, load_pipeline, pipeline_id


@pytest.fixture(scope="module")
def topics_nlp():
    return load_pipeline(profile="topics")


def test_the_shipped_pipeline_is_loaded_once(topics_nlp):
    assert load_pipeline("", profile="topics") is topics_nlp
    assert load_pipeline("en_epitome_sm", profile="topics") is topics_nlp


def test_topics_need_only_parts_of_speech(topics_nlp):
    assert topics_nlp.pipe_names == ["tok2vec", "morphologizer"]
    assert [token.pos_ for token in topics_nlp("The old lighthouse stands in Norway .")] == [
        "DET", "ADJ", "NOUN", "VERB", "ADP", "PROPN", "PUNCT",
    ]  # fmt: skip


def test_words_glued_by_brackets_are_cut_and_the_text_stays(topics_nlp):
    text = "(CNN)Jackson moved in(to) Rome[2]now (AP)."
    doc = topics_nlp(text)
    assert [token.text for token in doc] == [
        "(", "CNN", ")", "Jackson", "moved", "in", "(", "to", ")", "Rome", "[", "2", "]", "now", "(", "AP", ")", ".",
    ]  # fmt: skip
    assert doc.text == text


def test_the_full_profile_is_as_trained():
    nlp = load_pipeline()
    assert nlp.pipe_names == ["tok2vec", "tagger", "morphologizer", "lemmatizer", "senter", "ner"]
    assert [token.text for token in nlp.make_doc("(CNN)Jackson")] == ["(", "CNN)Jackson"]


def test_the_id_names_the_weights_whatever_was_left_out(topics_nlp, tmp_path: Path):
    name, _, digest = pipeline_id(topics_nlp).partition("+")
    assert name == "en_epitome_sm@0.1.0"
    assert len(digest) == 8
    copy = tmp_path / "copy"
    shutil.copytree(SHIPPED / "en_epitome_sm", copy)
    (copy / "README.md").write_text("another text")
    assert pipeline_id(load_pipeline(str(copy), profile="topics")) == pipeline_id(topics_nlp)
    other = tmp_path / "other"
    shutil.copytree(copy, other)
    with (other / "config.cfg").open("a") as config:
        config.write("\n# changed\n")
    assert pipeline_id(load_pipeline(str(other), profile="topics")) != pipeline_id(topics_nlp)


def test_an_unknown_pipeline_names_the_setting_and_what_to_do():
    with pytest.raises(PipelineNotFound, match=r"EPITOME_SPACY_PIPELINE='en_core_web_huge' is neither .* Install it"):
        load_pipeline("en_core_web_huge")


def test_a_broken_folder_is_refused_with_the_reason(tmp_path: Path):
    (tmp_path / "config.cfg").write_text("[nlp]\nlang = 'zz'\n")
    with pytest.raises(PipelineNotFound, match=r"EPITOME_SPACY_PIPELINE=.* does not load with spaCy 3"):
        load_pipeline(str(tmp_path))


def test_a_pipeline_without_parts_of_speech_is_refused(tmp_path: Path):
    import spacy

    spacy.blank("en").to_disk(tmp_path)
    with pytest.raises(PipelineNotFound, match="gives no parts of speech"):
        load_pipeline(str(tmp_path), profile="topics")


def test_the_weights_come_with_licence_credits_and_scores():
    folder = SHIPPED / "en_epitome_sm"
    licence = (folder / "LICENSE.txt").read_text()
    for credit in ("CC BY-SA 4.0", "UD English-EWT", "UNER English-PUD", "WikiGold"):
        assert credit in licence
    assert json.loads((folder / "metrics.json").read_text())["ewt_test"]["pos_acc"] > 0.93
