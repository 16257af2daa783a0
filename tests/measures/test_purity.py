"""The room works without the web's libraries, and loads nothing heavy before it is used."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("django", "spacy", "thinc", "nltk", "numpy", "scipy", "sklearn", "pandas", "torch", "snowballstemmer")

WITHOUT_DJANGO = """
import sys
for name in ("django", "rest_framework", "celery"):
    sys.modules[name] = None
from epitome.measures import SourceIndex, measure_summary, spacy_tagger
source = SourceIndex.from_lines(["Ann : we need buttons .", "Bob : no ."], "dialogue")
found = measure_summary("Ann needs buttons.", source, {"topic": "buttons", "speaker": "Ann", "keywords": ["need"]},
    measures=["length", "extractiveness", "specificity", "topic", "speaker", "keywords", "readability"],
    tagger=spacy_tagger())
assert all(value.defined for value in found.values()), found
print(int(float(found["length"])))
"""


def run(code: str) -> str:
    completed = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert completed.returncode == 0, completed.stderr
    return completed.stdout.strip()


def test_it_measures_without_django():
    assert run(WITHOUT_DJANGO) == "4"


def test_the_import_loads_nothing_heavy():
    code = f"import sys, epitome.measures; print([name for name in {HEAVY} if name in sys.modules])"
    assert run(code) == "[]"
