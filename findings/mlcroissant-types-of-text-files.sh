#!/usr/bin/env bash
# mlcroissant: what a Croissant file says of a CSV or JSON lines column is not what a reader gets.
#
# The metadata name a Boolean column (yes, no) and two Text columns ("007", "NA"). Expected: True and False, and the
# texts as they are. Seen with mlcroissant 1.1.1, without a warning: both yes and no are True; "007" is b"7" where the
# whole column looks like numbers, also where JSON has it as text; in CSV the text "NA" and the text "null" are None.
# With `jsonPath` instead of `column`, JSON lines cannot be read at all. Parquet has none of it, as it stores types.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mlcroissant==1.1.1
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import hashlib
import json
import logging
import sys
from pathlib import Path

import mlcroissant

logging.disable(logging.CRITICAL)
CONTEXT = {
    "@language": "en", "@vocab": "https://schema.org/", "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/", "dct": "http://purl.org/dc/terms/", "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"}, "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    **{name: f"cr:{name}" for name in ("column", "extract", "field", "fileObject", "jsonPath", "recordSet", "source")},
}
KINDS = {"agrees": "sc:Boolean", "code": "sc:Text", "note": "sc:Text"}


def read(name, kind, how):
    """The records of a file that its metadata describe with `column` or `jsonPath`."""
    fields = [
        {
            "@type": "cr:Field", "@id": f"r/{key}", "dataType": kind_of_field,
            "source": {"fileObject": {"@id": "f"}, "extract": {how: key if how == "column" else f"$.{key}"}},
        }
        for key, kind_of_field in KINDS.items()
    ]
    digest = hashlib.sha256(Path(name).read_bytes()).hexdigest()
    data = {
        "@context": CONTEXT, "@type": "sc:Dataset", "conformsTo": "http://mlcommons.org/croissant/1.0", "name": "t",
        "distribution": [
            {"@type": "cr:FileObject", "@id": "f", "contentUrl": name, "encodingFormat": kind, "sha256": digest}
        ],
        "recordSet": [{"@type": "cr:RecordSet", "@id": "r", "field": fields}],
    }
    Path("croissant.json").write_text(json.dumps(data))
    try:
        rows = list(mlcroissant.Dataset("croissant.json").records("r"))
    except Exception as error:
        return type(error).__name__
    return [[row[f"r/{key}"] for key in KINDS] for row in rows]


Path("t.csv").write_text("agrees,code,note\nyes,007,NA\nno,008,null\n")
lines = [{"agrees": "yes", "code": "007", "note": "NA"}, {"agrees": "no", "code": "008", "note": "null"}]
Path("t.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
LINES = "application/jsonlines"
seen = [read("t.csv", "text/csv", "column"), read("t.jsonl", LINES, "column"), read("t.jsonl", LINES, "jsonPath")]
for name, rows in zip(("CSV", "JSON lines", "JSON lines, jsonPath"), seen):
    print(f"{name}: {rows}")
expected = [
    [[True, b"7", None], [True, b"8", None]],
    [[True, b"7", b"NA"], [True, b"8", b"null"]],
    "GenerationError",
]
sys.exit(0 if seen == expected else f"changed: expected {expected}")
PYTHON
