"""What Python says of a case, and what the browser's modules say of it, run by node."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from epitome.measures import overlap, topic
from epitome.measures.source import SourceIndex
from epitome.schema.declaration import Band
from epitome.text.words import n_words

HERE = Path(__file__).resolve().parent


def by_python(case: dict[str, Any], source: SourceIndex | None = None) -> dict[str, Any]:
    """Every number the browser may show, with offsets in code points."""
    text = case["text"]
    source = source or SourceIndex(case["segments"], domain=case["domain"])
    words = n_words(text)
    return {
        "words": words,
        "ratio": overlap.length_ratio(words, case["base"]).value,
        "band": _band(case),
        "compression": overlap.compression(text, source).value,
        "extractiveness": overlap.extractiveness(text, source),
        "runs": [
            [run.start, run.end, [list(place) for place in run.places]] for run in overlap.copied_runs(text, source)
        ],
        "topic": topic.topic_share(text, case["topics"]).value,
        "found": [
            [word in text.lower() for word in topic.topic_words([other_topic])] for other_topic in case["topics"]
        ],
    }


def _band(case: dict[str, Any]) -> list[int | None] | None:
    result = Band(**case["band"]).in_words(case["base"]) if case["band"] else None
    return None if result is None else list(result)


def by_browser(cases: list[dict[str, Any]], folder: Path) -> list[dict[str, Any]]:
    """The same from static/js, through one JSON file; the test is skipped where node is absent."""
    return node("measure.mjs", cases, folder)


def node(script: str, given: Any, folder: Path) -> Any:
    if shutil.which("node") is None:
        pytest.skip("node is not installed: the browser's numbers were not compared")
    (folder / "in.json").write_text(json.dumps(given), encoding="utf-8")
    command = ["node", str(HERE / script), str(folder / "in.json"), str(folder / "out.json")]
    completed = subprocess.run(command, capture_output=True, text=True)
    assert completed.returncode == 0, completed.stderr
    return json.loads((folder / "out.json").read_text(encoding="utf-8"))
