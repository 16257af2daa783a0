"""Words and sentences of languages other than English, as their readers count them."""

import pytest

from annotation.measures import MEASURES, SourceIndex, measure_summary
from annotation.measures.length import n_tokens
from annotation.measures.overlap import copied_runs, extractiveness
from annotation.text.sentences import join_segments, segments_of
from annotation.text.tokens import split_tokens
from annotation.text.words import n_words, split_words, word_spans
from evaluation.metrics.rouge import rouge_f, rouge_signature

CHINESE = "我们今天在会议上讨论了预算，下周再决定。"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (CHINESE, "我们 今天 在 会议 上 讨论 了 预算 下周 再 决定"),
        ("会議で予算について話した。", "会議 で 予算 について 話 した"),
        ("วันนี้เราพูดคุยเรื่อง", "วัน นี้ เรา พูด คุย เรื่อง"),
        ("परिषद ने बजट पर चर्चा की।", "परिषद ने बजट पर चर्चा की।"),
        ("ناقش المجلس الميزانية.", "ناقش المجلس الميزانية."),
        ("Der Rat beriet über den Haushalt.", "Der Rat beriet über den Haushalt."),
        ("iPhone在2024年（销售）很好 (ok)", "iPhone 在 2024 年 销售 很好 (ok)"),
        ("。！", ""),
    ],
)
def test_words_are_those_of_the_language(text, words):
    assert split_words(text) == words.split()
    assert n_words(text) == len(words.split())
    assert [text[start:end] for start, end in word_spans(text)] == words.split()


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("讨论预算。下周再定！他说：“好的。”走了", ["讨论预算。", "下周再定！", "他说：“好的。”", "走了"]),
        ("会議でした。予算について話した？はい", ["会議でした。", "予算について話した？", "はい"]),
        ("यह पहला है। यह दूसरा है॥ बस", ["यह पहला है।", "यह दूसरा है॥", "बस"]),
        ("هل وافق المجلس؟ نعم. انتهى الاجتماع.", ["هل وافق المجلس؟", "نعم.", "انتهى الاجتماع."]),
        ("کیا یہ ٹھیک ہے؟ جی ہاں۔ شکریہ", ["کیا یہ ٹھیک ہے؟", "جی ہاں۔", "شکریہ"]),
        ("Am 3. Oktober sprach Dr. Weber, z. B. über Geld. Dann ging er.",
         ["Am 3. Oktober sprach Dr. Weber, z. B. über Geld.", "Dann ging er."]),
        ("Das war im 19. Jahrhundert, vgl. Abs. 3, bzw. S. 4. Es endete.",
         ["Das war im 19. Jahrhundert, vgl. Abs. 3, bzw. S. 4.", "Es endete."]),
        ("Er ist 12. Sie ist 13.", ["Er ist 12.", "Sie ist 13."]),
        ("บรรทัดหนึ่ง\nบรรทัดสอง", ["บรรทัดหนึ่ง", "บรรทัดสอง"]),
    ],
)  # fmt: skip
def test_sentences_are_those_of_the_language(text, sentences):
    segments = segments_of(text)
    assert [segment["text"] for segment in segments] == sentences
    assert join_segments(segments) == text


def test_a_length_counts_words_and_marks():
    assert " ".join(split_tokens(CHINESE)) == "我们 今天 在 会议 上 讨论 了 预算 ， 下周 再 决定 。"
    assert n_tokens(CHINESE, "release") == 13


def test_what_is_copied_is_found_between_words_that_stand_together():
    source = SourceIndex([{"speaker": "", "text": CHINESE}], domain="document")
    summary = "会议上讨论了预算。"
    (run,) = copied_runs(summary, source)
    assert summary[run.start : run.end] == "会议上讨论了预算"
    assert CHINESE[run.places[0].start : run.places[0].end] == "会议上讨论了预算"
    assert extractiveness(summary, source) == 1.0
    assert 0 < extractiveness("会议上讨论了天气", source) < 1
    assert source.n_words == 11


def test_grades_and_tags_of_english_are_refused_elsewhere():
    values = measure_summary(
        CHINESE,
        SourceIndex([], domain="document"),
        {},
        measures=["length", "readability", "specificity"],
        language="zh",
    )
    assert float(values["length"]) == 13
    assert values["readability"].undefined == "readability is defined for texts in en, not in zh"
    assert values["specificity"].undefined == "specificity is defined for texts in en, not in zh"
    assert MEASURES["readability"]("It rained.", language="en-GB").defined


def test_rouge_compares_the_words_of_the_language():
    same, half = rouge_f([CHINESE, "für den Rat"], [CHINESE, "für die Räte"], ["rouge1"], language="zh")["rouge1"]
    assert same == 1.0 and half == pytest.approx(1 / 3)
    assert rouge_f(["परिषद ने"], ["परिषद की"], ["rouge1"], language="hi")["rouge1"] == [0.5]
    assert rouge_f([CHINESE], [CHINESE], ["rouge1"])["rouge1"] == [0.0]
    english = ("The runners ran on Fridays.", "A runner runs on Friday.")
    scored = rouge_f(english[:1], english[1:], language="en")
    assert scored == rouge_f(english[:1], english[1:]) and scored["rouge1"][0] > 0.5
    lines = rouge_f(["甲乙\n丙丁"], ["丙丁\n甲乙"], ["rougeL", "rougeLsum"], language="zh")
    assert lines["rougeLsum"] == [1.0] and lines["rougeL"][0] < 1
    assert ("words", "unicode+icu") in rouge_signature(language="zh").options
    assert ("stemmer", "none") in rouge_signature(language="zh").options
    assert "words" not in dict(rouge_signature().options)
