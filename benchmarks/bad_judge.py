"""What a bad judge is worth: python -m benchmarks.bad_judge FOLDER [--system KEY] [--sources 40] [--people 20]

Asks a judge how long the human summaries of MACSum's dev documents are, short, normal or long (the file is
EPITOME_SHARED/data/macsum/macdoc/val.json); people's answers are the values by which the annotators wrote them. FOLDER
gets people.jsonl (of the first sources alone) and judge.jsonl (of all), which `epitome combine` reads, and both.jsonl
for `epitome agreement`. Printed, a JSON line: how many answers were valid, how many equal people's, how often each gave
each answer, and the mean of both over all items from 0 (short) to 1 (long), whose difference is the bias. Needs the
judge's server in EPITOME_CHAT_SERVERS, no database; seconds for each item on the small language model.
"""

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple, cast

from benchmarks.combined import show_row
from benchmarks.combined_macsum import find_documents
from epitome.schema import load_preset
from epitome.systems.protocol import Judge, Output, Request
from epitome.systems.registry import config_of, make_system

QUESTION = "How long is this summary?"
ANSWERS = ("short", "normal", "long")
RATERS = {"people": "annotator", "judge": "judge"}


class Item(NamedTuple):
    """A human summary. label: the length for which it was written."""

    id: str
    source: str
    text: str
    label: str


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--system", default="smollm2-judge", help="a judge's key or its TOML file")
    parser.add_argument("--sources", type=int, default=40)
    parser.add_argument("--people", type=int, default=20, metavar="SOURCES", help="sources that people judge")
    args = parser.parse_args()
    items = read_items(find_documents(), args.sources)
    outputs = ask_judge(args.system, items)
    write_answers(args.folder, items, outputs, args.people)
    show_row(count_answers(items, outputs))


def read_items(path: Path, n_sources: int) -> list[Item]:
    """The summaries of the first sources that were asked for no topic."""
    entries = json.loads(path.read_text(encoding="utf-8"))[:n_sources]
    return [
        Item(f"{place}-{number}", str(place), sample["summary"], sample["control_attribute"]["length"])
        for place, entry in enumerate(entries)
        for number, sample in enumerate(entry["references"])
        if not sample["control_attribute"]["topic"]
    ]


def ask_judge(system: str, items: list[Item]) -> list[Output]:
    """The judge sees the summary alone."""
    schema = load_preset("macsum-doc")
    requests = [Request(id=item.id, segments=(), values={}, schema=schema, text=item.text) for item in items]
    judge = cast(Judge, make_system(config_of(system)))
    return judge.judge(requests, QUESTION, ANSWERS)


def write_answers(folder: Path, items: list[Item], outputs: list[Output], n_people: int) -> None:
    """The files of people, of the judge, and of both; what the judge did not answer is in none."""
    folder.mkdir(parents=True, exist_ok=True)
    people = [make_line(item, RATERS["people"], item.label) for item in items]
    judged = [
        make_line(item, RATERS["judge"], output.text)
        for item, output in zip(items, outputs, strict=True)
        if output.decoding["valid"]
    ]
    known_sources = list(dict.fromkeys(item.source for item in items))[:n_people]
    files = {"people": [line for line in people if line["source_id"] in known_sources], "judge": judged}
    files["both"] = people + judged
    for name, lines in files.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def make_line(item: Item, rater: str, answer: str) -> dict[str, str]:
    about = {"item_id": item.id, "source_id": item.source, "system": "annotators", "question": "length"}
    return {**about, "rater": rater, "answer": answer}


def count_answers(items: list[Item], outputs: list[Output]) -> dict[str, Any]:
    pairs = [(item.label, output.text) for item, output in zip(items, outputs, strict=True) if output.decoding["valid"]]
    steps = {answer: step / (len(ANSWERS) - 1) for step, answer in enumerate(ANSWERS)}
    means = {
        name: round(sum(steps[pair[side]] for pair in pairs) / len(pairs), 3) if pairs else "n/a: no valid answer"
        for side, name in enumerate(RATERS)
    }
    return {
        "items": len(items),
        "valid": len(pairs),
        "equal": sum(label == answer for label, answer in pairs),
        "people_said": Counter(label for label, _answer in pairs),
        "judge_said": Counter(answer for _label, answer in pairs),
        "mean": means,
    }


if __name__ == "__main__":
    main()
