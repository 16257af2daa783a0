#!/usr/bin/env bash
# ppi-python: a judge that says the same everywhere gives people's interval or nan, by rounding.
#
# Expected: a constant judge tells nothing, so `ppi_mean_ci` falls back on the classical interval. Seen with
# ppi-python 0.2.3: whether it does or returns (nan, nan), with a warning at most, depends on the number of items and
# on the constant: 75 of 144 settings are nan. The weight of the judge is 0 / 0 where the variance of the constant is
# exactly 0, and some number / 1e-33 where rounding leaves a rest. Give lam=0 where the judge does not vary.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check ppi-python==0.2.3
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import sys
import warnings

import numpy as np
from ppi_py import ppi_mean_ci

warnings.simplefilter("ignore")
missing = total = 0
for n_human in (10, 20, 30, 50, 100, 200):
    human = np.repeat([1.0, 0.0], n_human // 2)
    for n_judge in (100, 200, 500, 1000):
        for constant in (0.1, 0.3, 0.5, 0.7, 0.9, 1.0):
            judged = np.full(n_human, constant), np.full(n_judge, constant)
            low, _high = ppi_mean_ci(human, *judged, alpha=0.05)
            total += 1
            missing += bool(np.isnan(low).any())
print(f"{missing} of {total} intervals are nan")
sys.exit(0 if 0 < missing < total else "changed: it is one or the other for all settings")
PYTHON
