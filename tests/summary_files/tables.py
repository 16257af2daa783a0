"""Tables of summaries as people have them."""

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

TOPICS = ("ferry", "library", "bridge", "school", "market", "museum", "forest", "harbour")


def text_of(number: int) -> str:
    topic = TOPICS[number % len(TOPICS)]
    return (
        f"The {topic} of Harlow opened again on day {number}. The council had closed it for {number + 2} weeks. "
        f"Workers repaired the roof and painted the doors. Visitors of the {topic} pay {number + 3} crowns now."
    )


def summary_of(system: str, number: int) -> str:
    """What a system wrote; its name is not in it."""
    opening = {"bart": "Reports say", "lead": "It is known", "pegasus": "News has it"}[system]
    return f"{opening} that place {number} of Harlow is open again."


def wide_rows(n_texts: int = 6, systems: Sequence[str] = ("bart", "lead")) -> list[dict[str, str]]:
    """A row for each text: a reference, and a column for each system."""
    return [
        {
            "id": f"a{number}",
            "text": text_of(number),
            "reference": f"The {TOPICS[number % len(TOPICS)]} is open again after {number + 2} weeks.",
            **{name: summary_of(name, number) for name in systems},
        }
        for number in range(n_texts)
    ]


def long_rows(n_texts: int = 6, systems: Sequence[str] = ("bart", "lead")) -> list[dict[str, str]]:
    """A row for each summary."""
    return [
        {"id": row["id"], "text": row["text"], "system": name, "summary": row[name]}
        for row in wide_rows(n_texts, systems)
        for name in systems
    ]


def as_csv(rows: Sequence[dict[str, Any]]) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def as_jsonl(rows: Sequence[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()
