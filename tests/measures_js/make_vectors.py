"""python -m tests.measures_js.make_vectors: writes tests/vectors/measures.json anew, after a definition has changed."""

import json

from tests.measures_js.cases import VECTORS, cases
from tests.measures_js.counting import by_python

if __name__ == "__main__":
    rows = [{"case": case, "expected": by_python(case)} for case in cases(60, seed=7)]
    VECTORS.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n", encoding="ascii")
