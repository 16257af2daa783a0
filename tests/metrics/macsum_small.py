"""A small MACSum-shaped file whose numbers can be worked by hand."""

import copy
import json
from pathlib import Path
from typing import Any


def sample(length: str, words: int, **changed: Any) -> dict[str, Any]:
    """A request for a length, and a summary of that many words."""
    control = {"length": length, "extractiveness": "normal", "specificity": "normal", "topic": ""}
    return {
        "control_attribute": control | changed,
        "summary": " ".join(f"word{number}" for number in range(words)),
        "title": "Title",
        "relevant_turns": [[0, 1]],
    }


ENTRIES: list[dict[str, Any]] = [
    {
        "metadata": {"dataset": "own", "split": "test", "file_id": 1},
        "source": ["word0 word1 word2 stand here.", "Nothing else does."],
        "references": [sample("short", 20), sample("long", 80), sample("normal", 10, topic="word , absent")],
    },
    {
        "metadata": {"dataset": "own", "split": "test", "file_id": 2},
        "source": ["Another text."],
        "references": [sample("short", 30), sample("normal", 36), sample("normal", 12, extractiveness="fully")],
    },
]


def entries() -> list[dict[str, Any]]:
    return copy.deepcopy(ENTRIES)


def write(folder: Path, content: Any, name: str = "small.json") -> Path:
    """The content as a file: bytes and text as they are, anything else as JSON."""
    file = folder / name
    if isinstance(content, bytes):
        file.write_bytes(content)
    else:
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        file.write_text(text, encoding="utf-8")
    return file
