#!/usr/bin/env bash
# pandas: a text that begins with "=" is written to Excel as a formula, and comes back as 0 or nan.
#
# Expected: a frame of texts, written and read again, holds these texts; "== History ==" is a heading of a wiki page.
# Seen with pandas 3.1.1: `to_excel` lets both engines write it as a formula, without a warning. Read again, it is 0
# from a file of XlsxWriter 3.2.9 (the result it stores for a formula) and nan from one of openpyxl 3.1.5 (which
# stores none). So a column of texts loses rows only where they begin so. XlsxWriter can be told:
# engine_kwargs={"options": {"strings_to_formulas": False}}.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pandas==3.1.1 openpyxl==3.1.5 XlsxWriter==3.2.9
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import sys
import warnings

import pandas

warnings.simplefilter("ignore")
frame = pandas.DataFrame({"text": ["== History ==", "plain"]})
seen = {}
for engine, options in (("openpyxl", None), ("xlsxwriter", None), ("xlsxwriter", {"strings_to_formulas": False})):
    engine_kwargs = {"options": options} if options else None
    frame.to_excel("t.xlsx", index=False, engine=engine, engine_kwargs=engine_kwargs)
    seen[engine, bool(options)] = str(pandas.read_excel("t.xlsx", engine="openpyxl")["text"][0])
    print(f"{engine}, {options}: {seen[engine, bool(options)]!r}")
sys.exit(0 if list(seen.values()) == ["nan", "0", "== History =="] else f"changed: {seen}")
PYTHON
