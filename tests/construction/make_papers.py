"""Thirty short papers written for these tests (CC0 1.0): small true results on well-known algorithms, in our own words.

`papers.jsonl` beside this file has them as `import_papers` reads them.
"""

import json
from pathlib import Path

FILE = Path(__file__).with_name("papers.jsonl")


def list_papers(n: int | None = None) -> list[dict]:
    """The first n, all by default."""
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()][:n]


def write_papers(path: Path, papers: list[dict]) -> Path:
    path.write_text("".join(json.dumps(paper) + "\n" for paper in papers), encoding="utf-8")
    return path
