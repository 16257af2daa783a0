#!/usr/bin/env bash
# NLTK: one missing rating, and AnnotationTask has an alpha but no kappa.
#
# Expected of a task in which one coder left out one item: a coefficient over what both rated, or an error that names
# the item. Seen with nltk 3.10.4: `alpha()` is right (1.0 here, the item left out); `kappa()`, `pi()`, `S()`,
# `multi_kappa()` and `avg_Ao()` raise RuntimeError("generator raised StopIteration"), which names neither coder nor
# item. Leave the item out yourself.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check nltk==3.10.4
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import sys

from nltk.metrics.agreement import AnnotationTask

rows = [("ann", "1", "yes"), ("bob", "1", "yes"), ("ann", "2", "no"), ("bob", "2", "no"), ("ann", "3", "yes")]
seen = {}
for name in ("alpha", "kappa", "pi", "S", "multi_kappa", "avg_Ao"):
    try:
        seen[name] = getattr(AnnotationTask(rows), name)()
    except RuntimeError as error:
        seen[name] = str(error)
    print(f"{name}: {seen[name]}")
raised = "generator raised StopIteration"
sys.exit(0 if seen.pop("alpha") == 1.0 and set(seen.values()) == {raised} else "changed")
PYTHON
