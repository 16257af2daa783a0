#!/usr/bin/env bash
# scipy: Wilcoxon's test with zeros kept (`pratt`) and `method="exact"` finds equal systems different.
#
# Expected: pairs without a difference speak for none, so two systems that are equal on all pairs have p = 1. Seen
# with scipy 1.17.1: `wilcoxon(d, zero_method="pratt", method="exact")` of ten zeros is .00195 (2 / 2^10), of fourteen
# .00012; twenty zeros and three small differences have .0035, where the normal approximation has .53. `method="auto"`
# takes the exact table up to 13 pairs of zeros with p = 1, and gives nan from 14 on. The exact table is that of a
# sample without zeros. `zero_method="wilcox"` or a permutation of signs is sound.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check scipy==1.17.1
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import sys
import warnings

import numpy as np
from scipy.stats import wilcoxon

warnings.simplefilter("ignore")
samples = {
    "10 zeros": np.zeros(10),
    "14 zeros": np.zeros(14),
    "20 zeros, 3 differences": np.array([0.0] * 20 + [0.1, 0.2, -0.05]),
}
seen = {}
for name, differences in samples.items():
    for method in ("exact", "auto"):
        p = wilcoxon(differences, zero_method="pratt", method=method).pvalue
        seen[name, method] = "nan" if np.isnan(p) else round(float(p), 5)
        print(f"{name}, {method}: p = {seen[name, method]}")
expected = [0.00195, 1.0, 0.00012, "nan", 0.00345, 0.52909]
sys.exit(0 if list(seen.values()) == expected else f"changed: expected {expected}")
PYTHON
