#!/usr/bin/env bash
# datasets: JSON lines that load from one file fail when the same lines stand in two, and 2^63 becomes a float.
#
# Expected: `load_dataset("json", data_files=[...])` of two files gives the rows of one file with the lines of both.
# Seen with datasets 5.2.0: rows of different types ({"a": 1}, {"a": "x"}) in one file load with the type Json; in two
# files they raise DatasetGenerationError. So do rows of different keys, which in one file are filled up with None. A
# whole number from 2^63 on makes its column float64, so ids lose their last digits without a word. State the
# features, or write Parquet.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check datasets==5.2.0
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import json
import logging
import os
import sys
from pathlib import Path

os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_CACHE": str(Path("cache").resolve())}
import datasets

datasets.disable_progress_bars()
logging.disable(logging.CRITICAL)


def load(*files):
    """The rows of JSON lines files, or the name of the error."""
    names = []
    for rows in files:
        names.append(f"f{len(list(Path().glob('f*.jsonl')))}.jsonl")
        Path(names[-1]).write_text("".join(json.dumps(row) + "\n" for row in rows))
    try:
        return list(datasets.load_dataset("json", data_files=names, split="train"))
    except Exception as error:
        return type(error).__name__


seen = {
    "two types, one file": load([{"a": 1}, {"a": "x"}]),
    "two types, two files": load([{"a": 1}], [{"a": "x"}]),
    "two keys, one file": load([{"a": 1}, {"b": 2}]),
    "two keys, two files": load([{"a": 1}], [{"b": 2}]),
    "2^63 + 1": load([{"a": 2**63 + 1}]),
}
for name, rows in seen.items():
    print(f"{name}: {rows}")
failed = "DatasetGenerationError"
filled = [{"a": 1, "b": None}, {"a": None, "b": 2}]
expected = [[{"a": 1}, {"a": "x"}], failed, filled, failed, [{"a": 2.0**63}]]
sys.exit(0 if list(seen.values()) == expected else f"changed: expected {expected}")
PYTHON
