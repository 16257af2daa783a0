"""LaTeX papers lose no word: links, fonts, boxes, units, own macros, line breaks with space, encodings."""

import pytest

from epitome.formats.papers import Paper, PaperFault, read_papers
from epitome.formats.papers.siunitx import format_number, format_unit

PREAMBLE = r"""\documentclass{article}
\usepackage{siunitx}
\newcommand{\sys}{Epitome}
\newcommand{\model}[1]{Mod-#1}
\newcommand*\best[2][high]{#2 (#1)}
\def\pair#1#2{#1 with #2}
\DeclareMathOperator*{\argsort}{arg\,sort}
\newif\ifdraft
\newif\iffinal \finaltrue
\title{On \sys\thanks{nobody}}
\begin{document}
"""


def read(tmp_path, source, name="p.tex"):
    path = tmp_path / name
    path.write_bytes(source if isinstance(source, bytes) else source.encode())
    (paper,) = read_papers(path, name)
    return paper


def read_section(tmp_path, text):
    paper = read(tmp_path, f"{PREAMBLE}\\section{{Introduction}}\n{text}\n\\end{{document}}")
    assert isinstance(paper, Paper), paper
    return paper.sections[0].text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"see \href{http://a.b/c%20d}{the \emph{text}} here", "see the text here"),
        (r"At \url{http://x.y/a%20b} we stay. % gone", "At we stay."),
        (r"We use \texttt{BERT-large} and \textsf{T5} with \mbox{GPT-2}.", "We use BERT-large and T5 with GPT-2."),
        (r"\textmd{a} \textup{b} \textsl{c} {\bf d} \textsuperscript{2} \LaTeX{} e", "a b c d 2 LaTeX e"),
        (r"Type \verb|x_1 % $y$| and \lstinline[language=C]!a{b}! now", "Type x_1 % $y$ and a{b} now"),
        (r"One \\[2pt] two \[ x = 1 \] three \\* four", "One two three four"),
        (r"It costs \$$n$ per day, \$5. And $$y = 2$$ more.", "It costs $n per day, $5. And more."),
        (r"$a$$b$ stays", "ab stays"),
        (r"\parbox[t]{3cm}{p} \scalebox{0.9}{s} \raisebox{2pt}{r} \resizebox{1cm}{!}{z} \makebox[1cm]{m}", "p s r z m"),
        (r"\textcolor{red}{a} \colorbox{red}{b} \fcolorbox{red}{blue}{c} \adjustbox{width=1cm}{d}", "a b c d"),
        (r"\begin{minipage}[t]{3cm}in a box\end{minipage}", "in a box"),
        (r"\sys is fast. \sys{} too, \model{3}, \pair{a}{b}, \best{x} and \best[low]{y}.",
         "Epitome is fast. Epitome too, Mod-3, a with b, x (high) and y (low)."),
        (r"$\argsort_i f$ and $\argmax f$, \eg{} this", "arg sort_i f and argmax f, e.g. this"),
        (r"A \iffalse no \else yes \fi B \ifdraft no \fi C \iffinal yes \else no \fi D", "A yes B C yes D"),
        (r"A \iffalse no \ifdraft no \fi no \fi B", "A B"),
        ("One%\n   line\n% all of it\nand % c\n\nnext 5\\% more", "Oneline and\nnext 5% more"),
        (r"\subsection{Sub} text \paragraph{Run in.} more", "Sub\ntext\nRun in. more"),
        (r"We: \begin{itemize}[noitemsep]\item one \item[Two] three\end{itemize} end", "We:\none\nTwo three\nend"),
        (r"\begin{verbatim} no % \end{x} \end{verbatim} yes", "yes"),
        (r"a~\citep[see][p.~3]{k}, b \cref{x}\todo[inline]{no} c\footnote{no {n\}o}}", "a, b c"),
        (r"\SIrange{10}{20}{\percent} of \SI{95}{\percent} and \qty{5}{\kilo\gram}, \num{1000}",
         "10 % to 20 % of 95 % and 5 kg, 1000"),
        (r"\SI[mode=text]{30}{\degree}, \si{\metre\per\second} and \numlist{1;2;3}", "30°, m/s and 1, 2 and 3"),
        (r"caf\'e na\"ive \v{c} ``q'' --- \& \# \_", "café naïve č “q” — & # _"),
    ],
)  # fmt: skip
def test_no_word_of_a_section_is_lost_and_no_argument_of_layout_printed(tmp_path, source, text):
    assert read_section(tmp_path, source) == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"\square\kilo\metre", "km²"),
        (r"\metre\per\second\squared", "m/s²"),
        ("m.s^{-1}", "m s⁻¹"),
        (r"\degreeCelsius", "°C"),
        (r"\furlong", "furlong"),
    ],
)
def test_units(source, text):
    assert format_unit(source) == text


def test_numbers():
    assert [format_number(number) for number in ("1e-3", "1.5 +- 2", "12")] == ["1 × 10⁻³", "1.5 ± 2", "12"]


def test_title_abstract_and_keywords_are_expanded_too(tmp_path):
    source = PREAMBLE + r"\begin{abstract}\sys{} is \texttt{fast}.\end{abstract}\keywords{\sys, x}\section{A \sys}b"
    paper = read(tmp_path, source + r"\end{document}")
    assert (paper.title, paper.abstract, paper.keywords) == ("On Epitome", "Epitome is fast.", ("Epitome", "x"))
    assert paper.sections[0].title == "A Epitome"


def test_what_is_not_read_is_counted(tmp_path):
    text = r"\input{a} \include{b} \input c.tex x \strange{y} \strange{z} \ifnum1=1 u\fi"
    paper = read(tmp_path, f"{PREAMBLE}\\section{{A}}{text}\\end{{document}}")
    assert paper.left_out == {
        "conditions of TeX": 1,
        "files that it includes": 3,
        "unknown macro \\strange": 2,
    }
    assert "y" in paper.sections[0].text.split()


SOURCE = r"""\documentclass{article}
%s
\begin{document}
\begin{abstract}café\end{abstract}
\section{Introduction}
Fürth
\end{document}"""


@pytest.mark.parametrize(
    ("declaration", "encoding"),
    [
        (r"\usepackage[latin1]{inputenc}", "latin-1"),
        (r"\usepackage[T1]{fontenc}\usepackage[ansinew]{inputenc}", "cp1252"),
        ("%% \\usepackage[koi8-r]{inputenc}\n\\usepackage[applemac]{inputenc}", "mac-roman"),
        ("% !TEX encoding = ISO-8859-15", "iso8859-15"),
        ("", "utf-8"),
        (r"\usepackage[latin1]{inputenc}", "utf-8"),
    ],
)
def test_a_paper_is_read_in_the_encoding_that_it_declares(tmp_path, declaration, encoding):
    paper = read(tmp_path, SOURCE.replace("%s", declaration).encode(encoding))
    assert (paper.abstract, paper.sections[0].text) == ("café", "Fürth")


@pytest.mark.parametrize(
    ("declaration", "words"),
    [
        ("", "line 4 is not UTF-8, and it declares no other encoding"),
        (r"\usepackage[utf8]{inputenc}", "line 4 is not in the encoding utf-8 that it declares"),
        (r"\usepackage[martian]{inputenc}", "declares the encoding martian, which is not known"),
    ],
)
def test_another_encoding_is_a_fault_and_no_replacement_character(tmp_path, declaration, words):
    fault = read(tmp_path, SOURCE.replace("%s", declaration).encode("latin-1"))
    assert isinstance(fault, PaperFault)
    assert words in str(fault)


def test_macros_that_never_end_are_a_fault(tmp_path):
    bomb = "".join(
        rf"\newcommand{{\{a}}}{{\{b}\{b}\{b}\{b}}}" for a, b in zip("abcdefghijkl", "bcdefghijklm", strict=True)
    )
    fault = read(
        tmp_path,
        rf"\documentclass{{a}}{bomb}\newcommand{{\m}}{{{'x' * 99}}}\begin{{document}}\section{{A}}\a\end{{document}}",
    )
    assert "macros expand without end" in str(fault)
    loop = r"\def\a{\b}\def\b{\a}"
    assert "without end" in str(
        read(tmp_path, rf"\documentclass{{a}}{loop}\begin{{document}}\section{{A}}\a\end{{document}}")
    )
