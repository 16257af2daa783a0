#!/usr/bin/env bash
# irrCAC: unanimous ratings give 1.0 or ZeroDivisionError by the number of items.
#
# Where all raters give one answer everywhere, chance agreement is complete and kappa is 0 / 0. Expected: one
# behaviour, nan or an error. Seen with irrCAC 0.4.4: Fleiss' kappa of two raters who always say yes is 1.0 for 6 and
# 7 items and raises ZeroDivisionError for 2 to 5 and for 8, as a sum of shares is 1 or not by rounding.
# Krippendorff's alpha raises, Conger's kappa is nan, and AC1 is 1.0 (right only if the scale has another answer) with
# an interval that begins with nan.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check irrCAC==0.4.4
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import sys
import warnings

import pandas
from irrCAC.raw import CAC

warnings.simplefilter("ignore")


def compute(method, n_items):
    """The coefficient of two raters who say yes to all items, or the name of the error."""
    try:
        return float(getattr(CAC(pandas.DataFrame([["yes", "yes"]] * n_items)), method)()["est"]["coefficient_value"])
    except ZeroDivisionError as error:
        return type(error).__name__


seen = {n: compute("fleiss", n) for n in range(4, 9)}
print(f"Fleiss' kappa by number of items: {seen}")
others = [str(compute(method, 6)) for method in ("gwet", "krippendorff", "conger")]
print(f"AC1, alpha, Conger's kappa of six items: {others}")
raised = "ZeroDivisionError"
unchanged = seen == {4: raised, 5: raised, 6: 1.0, 7: 1.0, 8: raised} and others == ["1.0", raised, "nan"]
sys.exit(0 if unchanged else "changed")
PYTHON
