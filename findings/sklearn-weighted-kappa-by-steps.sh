#!/usr/bin/env bash
# scikit-learn: weighted kappa goes by the steps between the labels that occur, not by the labels' values.
#
# Expected of `cohen_kappa_score(a, b, weights="quadratic")` of numbers: distances on the scale, so that 5 is three
# times as far from 2 as 2 is from 1 (Cohen 1968, as the papers that use a scale of 1 to 5 do). Seen with scikit-learn
# 1.9.1: weights go by the place among the labels that somebody gave. Where nobody gave 3 or 4, 2 and 5 are
# neighbours: .800 instead of .773; the same answers written 1, 2, 3 give the same number. The value so depends on
# which labels happen to be used. Give labels=[1, 2, 3, 4, 5].
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check scikit-learn==1.9.1
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import sys

from sklearn.metrics import cohen_kappa_score

first, second = [1, 1, 2, 5, 5, 2, 1, 5], [1, 2, 2, 5, 2, 2, 1, 5]
third, fourth = ([{5: 3}.get(label, label) for label in labels] for labels in (first, second))
seen = [
    round(float(cohen_kappa_score(first, second, weights="quadratic")), 4),
    round(float(cohen_kappa_score(third, fourth, weights="quadratic")), 4),
    round(float(cohen_kappa_score(first, second, weights="quadratic", labels=[1, 2, 3, 4, 5])), 4),
]
print(f"labels 1, 2, 5: {seen[0]}; written 1, 2, 3: {seen[1]}; with labels=[1, 2, 3, 4, 5]: {seen[2]}")
sys.exit(0 if seen == [0.8, 0.8, 0.7727] else f"changed: {seen}")
PYTHON
