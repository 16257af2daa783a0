#!/usr/bin/env bash
# sacrebleu: its paired tests call a system significantly different from a copy of itself.
#
# Expected: a test of two systems with the same outputs gives p = 1, as no resampling can tell them apart. Seen with
# sacrebleu 2.6.0: p = .000999 by the paired bootstrap (1,000 draws) and .0001 by approximate randomization (10,000),
# the smallest values they can give. Both count the draws whose difference is larger than the one observed, without
# those where it is equal. So two systems with the same output, or that differ where the metric does not look, are
# printed with a star. Compare the outputs first.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check sacrebleu==2.6.0
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import sys

from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest

words = ["roads", "schools", "water", "light", "parks"] * 8
references = [[f"the council met on day {day} and spoke of {word} at length" for day, word in enumerate(words)]]
outputs = [text.replace("spoke", "talked") for text in references[0]]
seen = {}
for test in ("bs", "ar"):
    systems = [("system", outputs), ("copy", list(outputs))]
    metrics = {"BLEU": BLEU(references=references)}
    results = PairedTest(systems, metrics, references=references, test_type=test, n_samples=0)()[1]["BLEU"]
    seen[test] = round(results[1].p_value, 6)
    print(f"{test}: BLEU {results[0].score:.2f} and {results[1].score:.2f}, p = {results[1].p_value:.6f}")
sys.exit(0 if seen == {"bs": 0.000999, "ar": 0.0001} else f"changed: {seen}")
PYTHON
