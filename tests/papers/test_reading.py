"""Papers from JSON lines, TEI and LaTeX, and which of their sections are chosen."""

import json

import pytest

from epitome.formats.papers import Chosen, Paper, PaperFault, Section, choose_parts, read_papers

TEI = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0">
 <teiHeader><fileDesc><titleStmt><title level="a" type="main">Bridges that sway</title></titleStmt></fileDesc>
  <profileDesc><textClass><keywords><term>bridges</term><term>wind</term></keywords></textClass>
   <abstract><div><p>We measure <hi>sway</hi>.</p></div></abstract></profileDesc></teiHeader>
 <text><body>
  <div><head n="1">Introduction</head><p>Wind moves bridges <ref type="bibr">[1]</ref>.<figure>Fig</figure></p></div>
  <div><p>It goes on.</p></div>
  <div><head n="2">Method</head><p>We count.</p></div>
  <div><head n="2.1">Details</head><p>With sensors.<formula>x = 1</formula></p></div>
  <div><head n="3.">Conclusions and outlook</head><p>They sway less.</p></div>
 </body></text></TEI>"""
LATEX = r"""
\documentclass{article}
\title{Bridges that \emph{sway}}
\begin{document}
\begin{abstract} We measure sway. % not the wind
\end{abstract}
\keywords{bridges; wind}
\section{Introduction}\label{sec:intro}
Wind moves bridges \citep[see][p.~3]{smith}, by 5\,\% or more.

It goes on: $x$ is small.
\begin{figure}[t] \caption{Nothing} \end{figure}
\section*{Method \& data}
\subsection{Sensors} We count \footnote{twice {or} more}.
\section{Conclusion and future work}
They sway less.
\bibliography{refs}
\section{Not this}
\end{document}
"""


def write(tmp_path, name, content):
    path = tmp_path / name
    text = content if isinstance(content, str | bytes) else "".join(json.dumps(row) + "\n" for row in content)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    papers = list(read_papers(path, name))
    for paper in papers:
        if isinstance(paper, PaperFault):
            raise paper
    return papers


def test_json_lines_of_sections(tmp_path):
    row = {
        "id": 7,
        "title": "T",
        "abstract": "A.",
        "sections": [{"title": "1 Introduction", "text": ["One.", "Two."]}, {"title": "5 Conclusion", "text": "End."}],
        "keywords": "bridges; wind",
        "categories": "cs.CL stat.ML",
    }
    (paper,) = write(tmp_path, "p.jsonl", [row])
    assert (paper.key, paper.keywords, paper.categories) == ("7", ("bridges", "wind"), ("cs.CL", "stat.ML"))
    assert paper.sections == (Section("1 Introduction", "One.\nTwo."), Section("5 Conclusion", "End."))


@pytest.mark.parametrize("inside", [True, False])
def test_json_lines_of_s2orc(tmp_path, inside):
    body = {
        "abstract": [{"text": "A."}, {"text": "B."}],
        "body_text": [
            {"section": "Introduction", "text": "One."},
            {"section": "Introduction", "text": "Two."},
            {"section": "Conclusions", "text": "End."},
        ],
    }
    row = {"paper_id": "p1", "title": "T", **({"pdf_parse": body} if inside else body)}
    (paper,) = write(tmp_path, "p.jsonl", [row])
    assert paper.abstract == "A.\nB."
    assert paper.sections == (Section("Introduction", "One.\nTwo."), Section("Conclusions", "End."))


def test_tei_of_grobid(tmp_path):
    (paper,) = write(tmp_path, "p1.tei.xml", TEI)
    assert (paper.key, paper.title, paper.abstract) == ("p1", "Bridges that sway", "We measure sway.")
    assert paper.keywords == ("bridges", "wind")
    assert [(section.title, section.text) for section in paper.sections] == [
        ("1 Introduction", "Wind moves bridges [1].\nIt goes on."),
        ("2 Method", "We count.\nWith sensors."),
        ("3. Conclusions and outlook", "They sway less."),
    ]


def test_latex_without_comments_floats_citations_and_what_follows_the_references(tmp_path):
    (paper,) = write(tmp_path, "p1.tex", LATEX)
    assert (paper.key, paper.title, paper.abstract) == ("p1", "Bridges that sway", "We measure sway.")
    assert paper.keywords == ("bridges", "wind")
    assert [section.title for section in paper.sections] == [
        "Introduction",
        "Method & data",
        "Conclusion and future work",
    ]
    assert paper.sections[0].text == "Wind moves bridges, by 5 % or more.\nIt goes on: x is small."
    assert "twice" not in paper.sections[1].text and paper.sections[2].text == "They sway less."


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("p.jsonl", "{", "line 1: is not sound JSON"),
        ("p.jsonl", "[1]\n", "line 1: must be an object"),
        ("p.jsonl", '{"id": "a", "sections": [{"title": 3, "text": ""}]}\n', "sections[0].title: must be text"),
        ("p.jsonl", '{"id": "a"}\n', "has no list of sections"),
        ("p.jsonl", '{"sections": []}\n', "has no id"),
        ("p.xml", "<TEI", "is not sound XML"),
        ("p.xml", "<html/>", "is no TEI document"),
        ("p.xml", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "is not sound XML"),
        ("p.xml", "<TEI>Fürth</TEI>".encode("latin-1"), "line 1 is not UTF-8, and it declares no other encoding"),
        ("p.tex", "Hello", "is no LaTeX document"),
        ("p.jsonl", '{"id": "a", "abstract": "F\ufffdrth", "sections": []}\n', "line 1: holds a replacement character"),
        ("p.pdf", "%PDF", "papers come as"),
    ],
)
def test_what_is_no_paper_is_refused_with_its_place(tmp_path, name, content, message):
    with pytest.raises(PaperFault) as refused:
        write(tmp_path, name, content)
    assert message in str(refused.value) and name in str(refused.value)


def paper_of(*titles, abstract="A.") -> Paper:
    return Paper("p", "T", abstract, tuple(Section(title, f"Text of {title}.") for title in titles))


@pytest.mark.parametrize(
    ("titles", "chosen"),
    [
        (("1. Introduction", "2 Method", "3 Conclusion"), (0, 2)),
        (("I. INTRODUCTION", "V. CONCLUSIONS AND FUTURE WORK"), (0, 1)),
        (("Introduction and related work", "Discussion and Conclusion", "Summary"), (0, 2)),
        (("Introduction", "Concluding remarks", "Acknowledgements"), (0, 1)),
        (("Introduction", "Summary and discussion"), (0, 1)),
        (("Introduction", "Introduction", "Conclusion"), (0, 2)),
        (("Abstract", "Introduction", "Summary of results"), "no conclusion"),
        (("Background", "Conclusion"), "no introduction"),
        (("Conclusion", "Introduction"), "no conclusion"),
        (("Introductory notes", "Conclusion"), "no introduction"),
    ],
)
def test_first_introduction_and_last_conclusion(titles, chosen):
    paper = paper_of(*titles)
    result = choose_parts(paper)
    if isinstance(chosen, str):
        assert result.reason == chosen
    else:
        assert isinstance(result, Chosen)
        assert (result.introduction, result.conclusion) == tuple(paper.sections[place] for place in chosen)


def test_a_paper_without_abstract_or_with_an_empty_part_is_left_out():
    assert choose_parts(paper_of("Introduction", "Conclusion", abstract=" ")).reason == "no abstract"
    empty = Paper("p", "T", "A.", (Section("Introduction", " "), Section("Conclusion", "x")))
    assert choose_parts(empty).reason == "no introduction"


def test_one_bad_line_does_not_hide_the_others(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text('{"id": "a"}\n{"id": "b", "sections": []}\n')
    fault, paper = read_papers(path, "p.jsonl")
    assert "line 1: has no list of sections" in str(fault)
    assert paper.key == "b"


def make_tei(body: str, abstract: str = "") -> str:
    begin, rest = TEI.split("<abstract>")
    header, rest = rest.split("</abstract>")[1], ""
    return f"{begin}<abstract>{abstract}</abstract>{header.split('<body>')[0]}<body>{body}{rest}</body></text></TEI>"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<div><head>A</head><p><s>One.</s><s>Two.</s></p></div>", "One. Two."),
        ("<div><head>A</head><p>We:</p><list><item>first</item><item>second</item></list></div>", "We:\nfirst\nsecond"),
        ("<div><head>A</head><p>We: <list><item>a</item><item><p>b</p></item></list> go</p></div>", "We:\na\nb\ngo"),
        ("<div><head>A</head><p>1.</p><note><p>n</p></note><figure><figDesc><p>n</p></figDesc></figure></div>", "1."),
        ("<div><head>A</head><div><head>no</head><p>One.</p></div><quote><p>Two.</p></quote></div>", "One.\nTwo."),
        ("<div><head>A</head><p>One<lb/>line <hi>b</hi>ig.</p></div><p>Beside.</p>", "One\nline big.\nBeside."),
    ],
)  # fmt: skip
def test_the_text_of_a_division_of_tei(tmp_path, body, text):
    (paper,) = write(tmp_path, "p.tei.xml", make_tei(body))
    assert paper.sections == (Section("A", text),)


def test_text_of_tei_outside_divisions(tmp_path):
    (paper,) = write(tmp_path, "p.tei.xml", make_tei("<p>First.</p><head>Introduction</head><p>One.</p>"))
    assert paper.sections == (Section("", "First."), Section("Introduction", "One."))


def test_the_abstract_of_tei_has_no_head_and_a_line_per_paragraph(tmp_path):
    abstract = "<div><head>Abstract</head><p>First.</p><p><s>Second.</s><s>Third.</s></p></div>"
    (paper,) = write(tmp_path, "p.tei.xml", make_tei("", abstract))
    assert paper.abstract == "First.\nSecond. Third."


def test_tei_is_read_in_the_encoding_that_it_declares(tmp_path):
    source = make_tei("<div><head>A</head><p>Fürth</p></div>").replace("UTF-8", "windows-1252")
    (paper,) = write(tmp_path, "p.xml", source.encode("cp1252"))
    assert paper.sections[0].text == "Fürth"
