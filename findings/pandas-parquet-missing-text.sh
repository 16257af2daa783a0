#!/usr/bin/env bash
# pandas 3: a missing text of a Parquet file is nan, a number that is true.
#
# Expected: a null in a text column comes back as None, as with pandas 2, so that `title or ""` is "" and `json.dumps`
# writes null. Seen with pandas 3.1.1 and pyarrow 26.0.1: it is the float nan. `title or ""` gives nan, which is then
# shown or stored as "nan", and `json.dumps` writes NaN, which is no JSON.
# `pyarrow.parquet.read_table(...).to_pylist()` has None.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pandas==3.1.1 pyarrow==26.0.1
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import json
import sys

import pandas
import pyarrow
import pyarrow.parquet

pyarrow.parquet.write_table(pyarrow.table({"title": ["A title", None]}), "t.parquet")
row = pandas.read_parquet("t.parquet").to_dict("records")[1]
plain = pyarrow.parquet.read_table("t.parquet").to_pylist()[1]
seen = [str(row["title"] or ""), json.dumps(row), json.dumps(plain)]
print(f"pandas: title or '' is {seen[0]!r}, json.dumps writes {seen[1]}; pyarrow: {seen[2]}")
sys.exit(0 if seen == ["nan", '{"title": NaN}', '{"title": null}'] else f"changed: {seen}")
PYTHON
