#!/usr/bin/env bash
# evalica: one undefeated system makes all Bradley-Terry strengths the same.
#
# A system that never lost has no finite strength. Expected: an error, or a strength that grows to a limit, so that it
# is still first. Seen with evalica 0.4.2: every strength is 1e-06, that of the system that won 20 of 20 and that of
# the one that lost them all, without a warning; sorted, the two are tied. Where it lost one of the 20, they are 4.36
# and .23. Leave such systems out or add a prior.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check evalica==0.4.2
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import sys

from evalica import Winner, bradley_terry

undefeated = bradley_terry(["a"] * 20, ["b"] * 20, [Winner.X] * 20).scores
winners = [*[Winner.X] * 3, Winner.Y, Winner.X]
three = bradley_terry(["a", "a", "b", "b", "c"], ["b", "c", "c", "a", "b"], winners).scores
once_beaten = bradley_terry(["a"] * 20, ["b"] * 20, [*[Winner.X] * 19, Winner.Y]).scores
for name, scores in (("20 of 20", undefeated), ("a beats b and c", three), ("19 of 20", once_beaten)):
    print(f"{name}: {scores.round(6).to_dict()}")
equal = set(undefeated.round(9)) == {1e-6} == set(three.round(9))
sys.exit(0 if equal and once_beaten["a"] > 10 * once_beaten["b"] else "changed")
PYTHON
