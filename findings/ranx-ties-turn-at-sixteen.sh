#!/usr/bin/env bash
# ranx: candidates of one score keep the order of the file in lists of up to 15, and are thrown about from 16 on.
#
# Expected: ties are broken in one way, whatever the length of a list. Seen with ranx 0.3.21: a ranker that gives
# every candidate the same score has MRR 1 where the gold stands first in a list of 15, and 1/15 in a list of 16, 1/23
# in one of 24, as the sort that it uses is stable for short lists only. Lists of 24 candidates with many ties, as
# rankers of few features make them, are measured nearly backwards. Break the ties before the call, or take the mean
# over the orders.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check ranx==0.3.21
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import sys

from ranx import Qrels, Run, evaluate

seen = {}
for size in (14, 15, 16, 24):
    names = [f"c{number:02d}" for number in range(size)]
    seen[size] = float(evaluate(Qrels({"q": {names[0]: 1}}), Run({"q": dict.fromkeys(names, 1.0)}), "mrr"))
    print(f"{size} candidates of one score, the first is gold: MRR {seen[size]:.4f}")
sys.exit(0 if seen == {14: 1.0, 15: 1.0, 16: 1 / 15, 24: 1 / 23} else f"changed: {seen}")
PYTHON
