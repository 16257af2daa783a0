"""Words and sentences of languages other than English, as their readers count them."""

import pytest

from epitome.measures import MEASURES, SourceIndex, measure_summary
from epitome.measures.keywords import match_keywords, success_rate
from epitome.measures.length import n_tokens
from epitome.measures.overlap import copied_runs, extractiveness
from epitome.measures.speaker import speaker_share
from epitome.measures.topic import topic_share
from epitome.metrics.rouge_scores import rouge_f, rouge_signature
from epitome.text.sentences import join_segments, segments_of, split_sentences
from epitome.text.tokens import split_tokens
from epitome.text.words import n_words, split_words, word_spans

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
        ("他喜欢Java……和“Go”——再见", "他 喜欢 Java 和 Go 再见"),
        ("naïve “Go” — don’t…", "naïve “Go” — don’t…"),
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
        ("Es gab u. a. Boni. Dr. h. c. Weber ging. Ludwig XIV. war dort.",
         ["Es gab u. a. Boni.", "Dr. h. c. Weber ging.", "Ludwig XIV. war dort."]),
        ("डॉ. शर्मा आए। प्रो. राव भी।", ["डॉ. शर्मा आए।", "प्रो. राव भी।"]),
        ("وافق د. أحمد على الجسر. انتهى.", ["وافق د. أحمد على الجسر.", "انتهى."]),
        ("La Sra. Ruiz llegó. El Sr. Gil no.", ["La Sra. Ruiz llegó.", "El Sr. Gil no."]),
        ("“为什么？”她问道，然后走了。“好的。”他说。再见", ["“为什么？”她问道，然后走了。", "“好的。”他说。", "再见"]),
        ("「はい。」と彼は言った。次です。", ["「はい。」と彼は言った。", "次です。"]),
        ("Er ist 12. Sie ist 13.", ["Er ist 12.", "Sie ist 13."]),
        ("บรรทัดหนึ่ง\nบรรทัดสอง", ["บรรทัดหนึ่ง", "บรรทัดสอง"]),
    ],
)  # fmt: skip
def test_sentences_are_those_of_the_language(text, sentences):
    segments = segments_of(text)
    assert [text[start:end] for start, end in split_sentences(text, "release")] == sentences
    assert [segment["text"] for segment in segments] == sentences
    assert join_segments(segments) == text


def test_a_length_counts_words_and_marks():
    assert " ".join(split_tokens(CHINESE)) == "我们 今天 在 会议 上 讨论 了 预算 ， 下周 再 决定 。"
    assert n_tokens(CHINESE, "release") == 13
    assert split_tokens("पुल का बजट।") == ["पुल", "का", "बजट", "।"]
    assert split_tokens("الميزانية، ثم الجسر؟") == ["الميزانية", "،", "ثم", "الجسر", "؟"]


@pytest.mark.parametrize(
    ("text", "there", "absent"),
    [
        ("我们讨论了预算。", ["预算", "讨论了预算"], ["算", "桥"]),
        ("会議で予算について話した。", ["予算", "会議"], ["橋"]),
        ("สภาเมืองอนุมัติงบประมาณสำหรับสะพานใหม่", ["งบประมาณ", "สะพานใหม่"], ["ถนน"]),
        ("परिषद ने नए पुल का बजट मंज़ूर किया।", ["पुल", "बजट", "नए पुल"], ["पल", "सड़क"]),
        ("ناقش المجلس الميزانية، ثم الجسر.", ["الميزانية", "الجسر"], ["الطريق"]),
        ("Совет обсудил бюджет моста.", ["бюджет", "бюджет моста"], ["дорога"]),
    ],
)
def test_keywords_and_topics_are_found_in_every_script(text, there, absent):
    assert match_keywords(text, there) == [True] * len(there)
    assert match_keywords(text, absent) == [False] * len(absent)
    assert topic_share(text, there).value == 1
    assert topic_share(text, [there[0], absent[-1]]).value == 0.5
    joined = "、".join((there[0], absent[-1]))
    assert success_rate(text, joined).value == 0.5 and topic_share(text, joined).value == 0.5


def test_marks_are_no_content_of_what_a_speaker_said():
    source = SourceIndex.from_lines(["王：我们讨论了预算。".replace("：", " : "), "李 : 下周再定！"], "dialogue")
    share = speaker_share("他们，批准，桥梁。", "王", source)
    assert share.value == 0


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
    assert rouge_f([CHINESE], [CHINESE], ["rouge1"])["rouge1"] == [None]
    english = ("The runners ran on Fridays.", "A runner runs on Friday.")
    scored = rouge_f(english[:1], english[1:], language="en")
    assert scored == rouge_f(english[:1], english[1:]) and scored["rouge1"][0] > 0.5
    lines = rouge_f(["甲乙\n丙丁"], ["丙丁\n甲乙"], ["rougeL", "rougeLsum"], language="zh")
    assert lines["rougeLsum"] == [1.0] and lines["rougeL"][0] < 1
    assert ("words", "unicode+icu") in rouge_signature(language="zh").options
    assert ("stemmer", "none") in rouge_signature(language="zh").options
    assert "words" not in dict(rouge_signature().options)
