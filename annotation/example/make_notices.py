"""Writes the data of the training `smollm2-macsum`: short news-like texts with summaries for many requests.

    python -m annotation.example.make_notices

`notices.jsonl` has the texts, each with a short, a normal and a long summary in words of its own. For each text the
built-in system `controlled-extract` adds summaries in the words of the source, two of the whole text and one for each
of its two topics, so that every attribute of the schema is asked for. The same bytes every time.
"""

import json
from pathlib import Path
from typing import Any

from epitome.schema import Schema, load_preset
from epitome.systems.protocol import Request
from epitome.systems.registry import make_system_by_key

PRESET = "short-articles"
N_DEV = 8
"""Texts of the split dev: the last ones; the others are trained on."""
FOLDER = Path(__file__).resolve().parent
LENGTHS = ("short", "normal", "long")
EXTRACTS = (("full", "high", -1), ("high", "normal", -1), ("full", "normal", 0), ("high", "high", 1))
"""Extractiveness and specificity of each extract, and the number of its topic, -1 for none. Lengths take turns."""


def read_notices() -> list[dict[str, Any]]:
    """One entry per text: id, title, topics, sentences, and summaries by length."""
    lines = (FOLDER / "notices.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def file_for_split(split: str) -> Path:
    """Path of the file of a split."""
    return FOLDER / f"notices-{split}.json"


def build_entry(split: str, number: int, notice: dict[str, Any], schema: Schema) -> dict[str, Any]:
    """A text with all its summaries, as MACSum's files have them."""
    plain = {"extractiveness": "normal", "specificity": "normal", "topic": ""}
    references = [
        _build_reference({"length": length, **plain}, summary) for length, summary in notice["summaries"].items()
    ]
    requests = [
        _build_request(notice, turn, LENGTHS[(number + turn) % len(LENGTHS)], schema) for turn in range(len(EXTRACTS))
    ]
    extractor: Any = make_system_by_key("controlled-extract")
    for request, output in zip(requests, extractor.generate(requests), strict=True):
        values = {**request.values, "topic": " , ".join(request.picks("topic"))}
        references.append(_build_reference(values, output.text))
    metadata = {"dataset": "notices", "split": split, "file_id": number}
    return {"metadata": metadata, "source": notice["sentences"], "references": references}


def _build_request(notice: dict[str, Any], turn: int, length: str, schema: Schema) -> Request:
    extractiveness, specificity, topic = EXTRACTS[turn]
    topics = (notice["topics"][topic],) if topic >= 0 else ()
    return Request(
        id=f"{notice['id']}-{turn}",
        segments=tuple({"speaker": "", "text": sentence} for sentence in notice["sentences"]),
        values={"length": length, "extractiveness": extractiveness, "specificity": specificity, "topic": topics},
        schema=schema,
        seed=turn,
    )


def _build_reference(values: dict[str, Any], summary: str) -> dict[str, Any]:
    """All sentences count as marked: the lengths of this schema are in words, whatever is marked."""
    attributes = {**values, "extractiveness": values["extractiveness"].replace("full", "fully")}
    return {"control_attribute": attributes, "summary": summary, "title": "", "relevant_turns": []}


def main() -> None:
    """Write one file per split, one line per text."""
    schema, notices = load_preset(PRESET), read_notices()
    splits = {"train": notices[:-N_DEV], "dev": notices[-N_DEV:]}
    for split, texts in splits.items():
        entries = [build_entry(split, number, notice, schema) for number, notice in enumerate(texts)]
        lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
        file_for_split(split).write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
