#!/usr/bin/env bash
# pylatexenc: words of font commands and units vanish, numbers of a range are joined, and a link raises IndexError.
#
# Expected of `LatexNodes2Text().latex_to_text`: the words that a reader of the paper sees, or something that shows a
# gap. Seen with pylatexenc 2.11: \texttt{BERT-large}, \textsf{T5} and \mbox{GPT-2} print nothing; \SI{95}{\percent}
# is "95", \SIrange{10}{20}{\percent} "1020", \scalebox{0.9}{small} "0.9small"; \href{...}{text} raises IndexError.
# All are commands of common packages that the default context does not know: an unknown command prints its last
# argument or none. Give a context of your own.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pylatexenc==2.11
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import sys

from pylatexenc.latex2text import LatexNodes2Text


def read(latex):
    """The text, or the name of the error."""
    try:
        return LatexNodes2Text().latex_to_text(latex)
    except IndexError as error:
        return type(error).__name__


expected = {
    r"We use \texttt{BERT-large} and \textsf{T5} with \mbox{GPT-2}.": "We use  and  with .",
    r"It costs \SI{95}{\percent} of \qty{5}{\kilo\gram}.": "It costs 95 of 5.",
    r"From \SIrange{10}{20}{\percent}.": "From 1020.",
    r"A \scalebox{0.9}{small} \parbox{3cm}{part}": "A 0.9small 3cmpart",
    r"See \href{https://example.org}{this}.": "IndexError",
}
seen = {latex: read(latex) for latex in expected}
for latex, text in seen.items():
    print(f"{latex} -> {text!r}")
sys.exit(0 if seen == expected else "changed")
PYTHON
