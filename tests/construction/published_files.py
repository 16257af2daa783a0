"""Files in the layout of the public CCSBench repository (a folder per set, train, val and test as CSV without the
documents; the names of its columns are not known and are made up here), of twelve of our own papers."""

import csv
import json
from pathlib import Path

from tests.construction.make_papers import list_papers
from tests.construction.rule_server import find_content, simplify

COLUMNS = ("paper", "gist", "words", "keywords", "readability", "focus", "set", "origin")
COLUMN_OF_FIELD = {
    "id": "paper",
    "summary": "gist",
    "attribute:length": "words",
    "attribute:keywords": "keywords",
    "attribute:readability": "readability",
    "attribute:focus": "focus",
    "summary_metadata:set": "set",
    "summary_metadata:origin": "origin",
}
"""What `--map` names."""


def list_rows() -> dict[str, list[dict[str, str]]]:
    """File -> rows. Papers stand in several sets, in other splits each time, as published ones do."""
    papers = list_papers(12)
    readability, focus, compositional = [], [], []
    for paper in papers[:6]:
        abstract = {"paper": paper["id"], "set": "readability"}
        readability.append({**abstract, "gist": paper["abstract"], "readability": "normal", "origin": "abstract"})
        rewrite = {"gist": simplify(paper["abstract"]), "readability": "high", "origin": "rewrite:readability"}
        readability.append({**abstract, **rewrite})
    for paper in papers[3:9]:
        for kind, text in zip(("empirical", "conceptual"), find_content(paper["abstract"]), strict=True):
            if text:
                row = {"paper": paper["id"], "gist": text, "focus": kind, "set": "focus", "origin": f"rewrite:{kind}"}
                focus.append(row)
    for number, paper in enumerate(papers):
        for readable, text in (("normal", paper["abstract"]), ("high", simplify(paper["abstract"]))):
            row = {
                "paper": paper["id"], "gist": text, "words": str(min((len(text.split()) - 1) // 50, 4)),
                "keywords": paper["keywords"][0], "readability": readable,
                "focus": "empirical" if number % 2 else "conceptual", "set": "compositional",
                "origin": "rewrite:compositional",
            }  # fmt: skip
            compositional.append(row)
    return {"readability/train.csv": readability, "focus/val.csv": focus, "compositional/test.csv": compositional}


def write_published_files(folder: Path) -> dict[str, Path]:
    """The files by their names in the repository, and `documents.jsonl` with text and abstract of each paper."""
    paths = {}
    for name, rows in list_rows().items():
        paths[name] = folder / name
        paths[name].parent.mkdir(exist_ok=True)
        with paths[name].open("w", newline="", encoding="utf-8") as out:
            writer = csv.DictWriter(out, COLUMNS, restval="")
            writer.writeheader()
            writer.writerows(rows)
    paths["documents.jsonl"] = folder / "documents.jsonl"
    documents = [
        {
            "id": paper["id"],
            "text": "\n".join(section["text"] for section in paper["sections"]),
            "title": paper["title"],
            "abstract": paper["abstract"],
            "keywords": paper["keywords"],
        }
        for paper in list_papers(12)
    ]
    paths["documents.jsonl"].write_text("".join(json.dumps(row) + "\n" for row in documents), encoding="utf-8")
    return paths
