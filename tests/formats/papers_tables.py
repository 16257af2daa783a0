"""Three made-up papers and summaries of them, in every shape that commands read."""

import csv
import io
import json

TEXTS = {
    "p1": "We study budgets of towns. A model predicts the costs. It errs by four percent.",
    "p2": "We study roofs that leak. Sensors report water. Repairs got cheaper by half.",
}
ROWS = [
    {"paper": "p1", "summary": "Budgets of towns can be predicted.", "length": "0-50", "keywords": "budgets; towns"},
    {"paper": "p2", "summary": "Leaking roofs can be found.", "length": "1", "readability": "high"},
    {"paper": "p1", "summary": "The model errs by four percent.", "focus": "empirical", "readability": "normal"},
]
COLUMNS = ("paper", "body", "summary", "length", "keywords", "readability", "focus")
MAPPING = {
    "id": "paper",
    "text": "body",
    "summary": "summary",
    **{f"attribute:{name}": name for name in ("length", "keywords", "readability", "focus")},
}
REQUESTS = [
    {"length": "0", "keywords": ("budgets", "towns")},
    {"length": "1", "readability": "high"},
    {"readability": "normal", "focus": "high"},
]
"""The requests of ROWS in the terms of the preset ccsbench."""


def rows() -> list[dict[str, str]]:
    return [{**row, "body": TEXTS[row["paper"]]} for row in ROWS]


def as_csv() -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, restval="")
    writer.writeheader()
    writer.writerows(rows())
    return out.getvalue()


def as_json_lines() -> str:
    return "".join(json.dumps({name: value for name, value in row.items() if value}) + "\n" for row in rows())


def as_macsum() -> str:
    """One entry per paper; keywords as a list and as a text with commas."""
    entries = {
        name: {
            "metadata": {"dataset": "papers", "split": "test", "file_id": name},
            "source": text.split(". "),
            "references": [],
        }
        for name, text in TEXTS.items()
    }
    for row in ROWS:
        control = {key: row[key] for key in ("length", "readability", "focus") if key in row}
        if "keywords" in row:
            control["keywords"] = row["keywords"].replace(";", " ,")
        if control.get("length") == "1":
            control["length"] = 1
        entries[row["paper"]]["references"].append(
            {"control_attribute": control, "summary": row["summary"], "title": "", "relevant_turns": []}
        )
    return json.dumps(list(entries.values()))


def as_epitome1(preset: str = "ccsbench") -> str:
    lines = []
    for name, text in TEXTS.items():
        segments = [{"speaker": "", "text": word} for word in text.split(". ")]
        lines.append({"task": "source", "source_id": name, "segments": segments, "metadata": "{}", "split": "test"})
    for place, row in enumerate(ROWS):
        request = {key: list(value) if isinstance(value, tuple) else value for key, value in REQUESTS[place].items()}
        lines.append(
            {
                "task": "summary",
                "source_id": row["paper"],
                "sample_id": f"{row['paper']}#{place}",
                "schema": {"preset": preset, "version": 1},
                "attributes": request,
                "text": row["summary"],
                "state": "accepted",
            }
        )
    lines.append({**lines[-1], "text": "Never mind this one.", "state": "rejected"})
    lines.append({**lines[-1], "text": None, "state": "skipped"})
    return "".join(json.dumps({"format": "epitome-1", **line}) + "\n" for line in lines)
