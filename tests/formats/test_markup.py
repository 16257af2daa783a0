"""Web pages, subtitles and CAS files are read as the text that they hold; other markup is refused by its name."""

import gzip
import json
import time

import pytest

from epitome.formats.html_pages import read_page
from epitome.formats.options import ImportOptions
from epitome.formats.reading import UnreadableFile, input_file
from epitome.formats.registry import detect_format
from epitome.formats.sources import read_sources
from epitome.formats.utf16 import Utf16Offsets
from tests.formats.helpers import only_fault, records, text_of, write
from tests.formats.test_row_kinds import make_zip

TEXT = "The harbour board met on Monday and agreed to widen the north pier."
PAGE = f"""<!DOCTYPE html><html><head><title>The pier &amp; the board</title><style>p {{ color: red }}</style></head>
<body><nav><a href="/">Home</a></nav><h1>Pier</h1><p>{TEXT}</p><p>Work begins
  in <b>spring</b>.<br>It lasts two years.</p><script>if (a < b) {{ var c = "<p>no</p>"; }}</script>
<!-- <p>not this</p> --><ul><li>one<li>two</ul><table><tr><td>for</td><td>17</td></tr></table></body></html>"""
WEBVTT = """WEBVTT - council

NOTE nobody sees this

1
00:00:01.000 --> 00:00:04.000 align:start
<v Ann Lee>We widen the &amp; north

00:00:04.000 --> 00:00:05.000
<v Ann Lee><i>pier</i> in spring.</v>

00:05.000 --> 00:07.000
<v.loud Bob>How long?</v><v Ann Lee>Two years.</v>
"""
SRT = "".join(f"{n}\n00:00:0{n},000 --> 00:00:0{n},900\n{{}}\n\n" for n in (1, 2, 3))
XMI = """<?xml version="1.0" encoding="UTF-8"?>
<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:t="http:///org/board.ecore"
 xmlns:type="http:///de/tudarmstadt/ukp/dkpro/core/api/segmentation/type.ecore" xmi:version="2.0">
 <t:Span xmi:id="2" sofa="1" begin="10" end="17" kind="moved"/>
 <type:Token xmi:id="3" sofa="1" begin="0" end="1"/>
 <cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text" sofaString="A wolf 🐺 crossed."/>
 <cas:View sofa="1" members="2 3"/></xmi:XMI>"""
CAS_JSON = {
    "%TYPES": {},
    "%FEATURE_STRUCTURES": [
        {"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaID": "_InitialView", "sofaString": "A wolf 🐺 crossed."},
        {"%ID": 2, "%TYPE": "org.board.Span", "@sofa": 1, "begin": 10, "end": 17, "kind": "moved"},
    ],
}
OLD_CAS_JSON = {
    "_context": {},
    "_views": {"_InitialView": {"org.board.Span": [{"sofa": 1, "begin": 10, "end": 17, "kind": "moved"}]}},
    "_referenced_fss": {"1": {"_type": "Sofa", "sofaID": "_InitialView", "sofaString": "A wolf 🐺 crossed."}},
}


def read(tmp_path, content, name):
    path = write(tmp_path, content, name)
    kind = detect_format(input_file(path))
    return list(read_sources(input_file(path), ImportOptions(kind)))


def turns_of(record):
    return [(segment["speaker"], segment["text"]) for segment in record.segments]


def test_a_web_page_is_the_text_that_it_shows(tmp_path):
    (record,) = records(read(tmp_path, PAGE, "pier.html"))
    assert (record.external_id, record.title) == ("pier", "The pier & the board")
    lines = ["Pier", TEXT, "Work begins in spring.", "It lasts two years.", "one", "two", "for\t17"]
    assert text_of(record) == "\n".join(lines)


def test_a_packed_page_is_read_and_menus_are_remarked(tmp_path):
    file = input_file(write(tmp_path, gzip.compress(PAGE.encode()), "pier.html.gz"))
    (record,) = records(list(read_sources(file, ImportOptions(detect_format(file)))))
    assert (record.external_id, record.title) == ("pier", "The pier & the board")
    assert file.notes.as_list() == ["pier.html.gz: menus of web pages are left out"]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<pre>a  b\n  c</pre>", "a  b\n  c"),
        ("<p>1 < 2 &lt; 3 and a&nbsp;b", "1 < 2 < 3 and a b"),
        ("<div hidden><p>no</p></div><p>yes</p>", "yes"),
        ("<svg><title>no</title><path d='m'/></svg><p title='a > b'>yes</p>", "yes"),
        ("<button>no<p>no</button>yes", "yes"),
        ("<SCRIPT>no</Script ><P>yes</P><style>no", "yes"),
        ("<p>yes</p><!-- no", "yes"),
        ('<img alt="no"><p>yes<img src=x></p>', "yes"),
    ],
)
def test_what_a_page_does_not_show_is_left_out(source, text):
    assert read_page(source).text == text


def test_a_damaged_page_takes_no_longer_than_a_sound_one():
    began = time.process_time()
    for piece in ("<!--", "<!", "<a b='", "</", "<![CDATA[", "<script>"):
        read_page(piece * 20_000)
    assert time.process_time() - began < 30  # it took minutes where each mark was looked for to the end


@pytest.mark.parametrize(
    ("page", "encoding", "word"),
    [
        ('<html><meta charset="iso-8859-1"><p>Fürth – café</p></html>', "cp1252", "Fürth – café"),
        ('<html><meta http-equiv=x content="text/html; charset=shift_jis"><p>港</p></html>', "shift_jis", "港"),
        ("<html><p>Fürth</p></html>", "utf-8-sig", "Fürth"),
    ],
)
def test_a_page_is_read_in_the_encoding_that_it_declares(tmp_path, page, encoding, word):
    (record,) = records(read(tmp_path, page.encode(encoding), "p.html"))
    assert text_of(record) == word


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("<html>\n<p>Fürth</p></html>".encode("latin-1"), "line 2 is not UTF-8, and it declares no other encoding"),
        (b'<html><meta charset="klingon"><p>x</p></html>', "declares the encoding klingon, which is not known"),
        (b"<html><script>only()</script></html>", "web page without text"),
    ],
)
def test_a_page_that_cannot_be_read_is_refused(tmp_path, page, words):
    assert words in only_fault(read(tmp_path, page, "p.html")).message


def test_voices_of_webvtt_are_turns(tmp_path):
    (record,) = records(read(tmp_path, WEBVTT, "council.vtt"))
    assert record.external_id == "council"
    assert turns_of(record) == [
        ("Ann Lee", "We widen the & north pier in spring."),
        ("Bob", "How long?"),
        ("Ann Lee", "Two years."),
    ]


@pytest.mark.parametrize(
    ("cues", "turns"),
    [
        (
            ("Ann: We widen it.", "It is decided.", "Bob: How long?"),
            [("Ann", "We widen it. It is decided."), ("Bob", "How long?")],
        ),
        (
            ("Note: we widen it.", "It is decided.", "It takes long."),
            [("", "Note: we widen it."), ("", "It is decided."), ("", "It takes long.")],
        ),
        (
            ("We widen", "We widen\n<i>the pier</i>", "{\\an8}the pier\nin spring."),
            [("", "We widen the pier in spring.")],
        ),
    ],
)
def test_names_before_cues_are_speakers_and_rolling_lines_stand_once(tmp_path, cues, turns):
    (record,) = records(read(tmp_path, SRT.format(*cues), "a.srt"))
    assert turns_of(record) == turns


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.xmi", XMI), ("a.json", json.dumps(CAS_JSON, indent=1)), ("b.json", json.dumps(OLD_CAS_JSON))],
)
def test_a_cas_is_its_text_with_spans_that_count_characters(tmp_path, name, content):
    (record,) = records(read(tmp_path, content, name))
    text = text_of(record)
    assert (record.external_id, text) == (name[0], "A wolf 🐺 crossed.")
    (span,) = json.loads(record.metadata_json)["spans"]
    assert (span["type"], span["features"], text[span["start"] : span["end"]]) == (
        "org.board.Span",
        {"kind": "moved"},
        "crossed",
    )


def test_offsets_inside_a_character_are_none():
    offsets = Utf16Offsets("a🐺b")
    assert [offsets.to_characters(unit) for unit in range(-1, 6)] == [None, 0, 1, None, 2, 3, None]


def test_entities_of_a_cas_are_not_expanded(tmp_path):
    bomb = XMI.replace("?>", '?><!DOCTYPE a [<!ENTITY b "ha">]>', 1)
    assert only_fault(read(tmp_path, bomb, "a.xmi")).code == "damaged"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("#FORMAT=WebAnno TSV 3.3\n\n#Text=A wolf.\n", "WebAnno TSV"),
        ("-DOCSTART- -X- O\nA -X- _ O\n", "CoNLL"),
        ("A\tO\nwolf\tB-ANIMAL\n\nran\tO\nto\tO\nRome\tB-PLACE\n", "CoNLL"),
        ("# text = A wolf\n" + "1\tA\ta\tDET\t_\t_\t2\tdet\t_\tSpaceAfter=No\n" * 6, "CoNLL"),
        ("__label__wolf A wolf ran to Rome.\n", "fastText"),
        ("T1\tAnimal 2 6\twolf\nT2\tPlace 14 18\tRome\n", "brat"),
        ('<TEI xmlns="http://www.tei-c.org/ns/1.0"><text/></TEI>', "import_papers"),
        ('<?xml version="1.0"?><article dtd-version="1.2"><front><article-meta/></front></article>', "JATS"),
        ('<?xml version="1.0"?>\n<!-- a -->\n<corpus><s>A wolf.</s></corpus>', "is markup (its first tag is <corpus>)"),
        ("<doc>A wolf.</doc>", "is markup (its first tag is <doc>)"),
        ('<tt xmlns="http://www.w3.org/ns/ttml"><body/></tt>', "TTML"),
        ("% a paper\n\\documentclass{article}\n\\begin{document}A wolf.", "LaTeX"),
        ("[Script Info]\nTitle: x\n", "ASS"),
        ("MIME-Version: 1.0\nContent-Type: multipart/related;\n\n<html>", "MHTML"),
    ],
)
@pytest.mark.parametrize("name", ["a.txt", "a"])
def test_other_markup_is_refused_with_what_to_import_instead(tmp_path, content, words, name):
    with pytest.raises(UnreadableFile) as refused:
        detect_format(input_file(write(tmp_path, content, name)))
    assert words in refused.value.fault.message
    assert refused.value.fault.code == "wrong_kind"


@pytest.mark.parametrize(
    "text", ["<3 is a heart, they said.", "T1 was late.", "1\n2\n3\n", "O tempora, o mores.\n" * 6]
)
def test_texts_that_only_look_a_little_like_markup_are_texts(tmp_path, text):
    assert detect_format(input_file(write(tmp_path, text, "a.txt"))) == "text"


def test_pages_and_subtitles_in_a_zip_are_sources(tmp_path):
    members = {"a/pier.html": PAGE.encode(), "b.vtt": WEBVTT.encode(), "c.xmi": XMI.encode()}
    path = make_zip(tmp_path / "in.zip", members)
    units = records(list(read_sources(input_file(path), ImportOptions("zip"))))
    assert [unit.external_id for unit in units] == ["pier", "b", "c"]
    wrong = make_zip(tmp_path / "wrong.zip", {"a.txt": PAGE.encode(), "b.csv": b"id,text\n1,x\n"})
    assert "is no plain text but html" in str(next(read_sources(input_file(wrong), ImportOptions("zip"))))
