"""Asks Epitome and other libraries what they answer in the situations of a file, and writes the page of their answers.

    build.py packages ENVIRONMENT        prints what to install
    build.py ask ENVIRONMENT ANSWERS     evaluates its expressions into a JSON file
    build.py page ANSWERS ...            prints the page

ENVIRONMENT: epitome, shared (libraries that can be installed together), apart (those that ask for old versions).
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sys
import tempfile
import tomllib
import warnings
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

SITUATIONS = Path(__file__).with_name("situations.toml")
OURS = "Epitome"
WIDTH = 70
HEAD = """# What other libraries answer

{n} situations in which libraries for agreement, summaries, rankings, estimates and files give other numbers, an error
or no number, and what Epitome gives. Most differences are choices; the last column says what the definition says.
`findings/differences.sh` writes this page: it installs the libraries below in a temporary folder and asks them. n/a is
an undefined value with a reason; "refused" is an error that says what to do. With `--compare`, `epitome agreement` and
`epitome measure` print such numbers for a file of yours: [the command](library.md#the-command).

Versions: {versions}.
"""


def read_situations() -> dict[str, Any]:
    return tomllib.loads(SITUATIONS.read_text(encoding="utf-8"))


def write(name: str, text: str) -> None:
    """For the situations: a file in the current folder."""
    Path(name).write_text(text, encoding="utf-8")


def aggregate_rouge(aggregator_class: Any, scorer: Any, references: list[str], outputs: list[str]) -> float:
    """For the situations: the F that evaluate prints, with a fixed seed."""
    import numpy as np

    np.random.seed(1)
    aggregator = aggregator_class()
    for reference, output in zip(references, outputs, strict=True):
        aggregator.add_scores(scorer.score(reference, output))
    return float(aggregator.aggregate()["rouge1"].mid.fmeasure)


def read_croissant(mlcroissant: Any, name: str, column: str, kind: str) -> list[Any]:
    """For the situations: one column of a CSV file, read by a Croissant file that states its kind."""
    own = ("column", "extract", "field", "fileObject", "recordSet", "source")
    context = {
        "@language": "en", "@vocab": "https://schema.org/", "sc": "https://schema.org/", "cr": "http://mlcommons.org/croissant/",
        "dct": "http://purl.org/dc/terms/", "conformsTo": "dct:conformsTo",
        "dataType": {"@id": "cr:dataType", "@type": "@vocab"}, **{key: f"cr:{key}" for key in own},
    }  # fmt: skip
    source = {"fileObject": {"@id": "f"}, "extract": {"column": column}}
    field = {"@type": "cr:Field", "@id": f"r/{column}", "dataType": kind, "source": source}
    digest = hashlib.sha256(Path(name).read_bytes()).hexdigest()
    file = {"@type": "cr:FileObject", "@id": "f", "contentUrl": name, "encodingFormat": "text/csv", "sha256": digest}
    data = {
        "@context": context, "@type": "sc:Dataset", "conformsTo": "http://mlcommons.org/croissant/1.0", "name": "t",
        "distribution": [file], "recordSet": [{"@type": "cr:RecordSet", "@id": "r", "field": [field]}],
    }  # fmt: skip
    Path("croissant.json").write_text(json.dumps(data), encoding="utf-8")
    return [row[f"r/{column}"] for row in mlcroissant.Dataset("croissant.json").records("r")]


def list_libraries(environment: str) -> dict[str, dict[str, Any]]:
    data = read_situations()
    if environment == "epitome":
        return {OURS: data["epitome"]}
    apart = environment == "apart"
    return {name: library for name, library in data["libraries"].items() if library.get("apart", False) is apart}


def ask(environment: str) -> dict[str, dict[str, str]]:
    """Situation -> library of the environment -> its answer as text."""
    libraries = list_libraries(environment)
    answers: dict[str, dict[str, str]] = {}
    for situation in read_situations()["situation"]:
        for library, expression in situation["asks"].items():
            if library in libraries:
                text = answer(libraries[library]["imports"], situation["given"], expression)
                answers.setdefault(situation["name"], {})[library] = text
    return answers


def answer(imports: str, given: str, expression: str) -> str:
    """What an expression gives, or how it fails."""
    import numpy as np
    import pandas as pd

    names: dict[str, Any] = {"np": np, "pd": pd, "write": write}
    names |= {"aggregate_rouge": aggregate_rouge, "read_croissant": read_croissant}
    ours = "from epitome" in imports
    exec(imports, names)  # noqa: S102 -- from our own file
    exec(given, names)  # noqa: S102
    try:
        return show(eval(expression, names))  # noqa: S307 -- guard: an expression of our own file
    except Exception as error:  # noqa: BLE001 -- whatever a library raises is its answer
        if ours:
            return f"refused: {shorten(str(error))}"
        return type(error).__name__ + (f" ({shorten(str(error))})" if str(error) else "")


def show(value: Any) -> str:
    """An answer for a cell of the page."""
    if hasattr(value, "undefined") and hasattr(value, "value"):  # Score, Value
        return f"n/a: {value.undefined}" if value.value is None else show(value.value)
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(show, value)) + "]"
    if isinstance(value, bytes):
        return f"b{value.decode()!r}"
    if isinstance(value, float):
        return f"{value:.3f}" if 1e-3 <= abs(value) < 1e6 or value == 0 else f"{value:.3g}"
    return repr(value)


def shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= WIDTH else line[: WIDTH - 2].rsplit(" ", 1)[0] + " …"


def build_page(answers: Sequence[Mapping[str, Mapping[str, str]]]) -> str:
    data = read_situations()
    versions = ", ".join(library["package"].replace("==", " ") for library in data["libraries"].values())
    parts = [HEAD.format(n=len(data["situation"]), versions=versions)]
    for area, situations in groupby(data["situation"], key=lambda situation: situation["area"]):
        rows = [f"## {area}", "", "| situation | Epitome | others | by the definition |", "|---|---|---|---|"]
        for situation in situations:
            name = situation["name"]
            found = {library: text for part in answers for library, text in part.get(name, {}).items()}
            own = escape(found.get(OURS, "–"))
            asked = (library for library in situation["asks"] if library != OURS)
            others = "; ".join(f"{library} {escape(found[library])}" for library in asked)
            rows.append(f"| {escape(name)} | {own} | {others} | {escape(situation['right'])} |")
        parts.append("\n".join([*rows, ""]))
    return "\n".join(parts)


def escape(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def main(words: list[str]) -> None:
    if words[0] == "packages":
        sys.stdout.write("\n".join(library["package"] for library in list_libraries(words[1]).values()) + "\n")
    elif words[0] == "ask":
        warnings.simplefilter("ignore")
        logging.disable(logging.CRITICAL)
        out = Path(words[2]).resolve()
        with tempfile.TemporaryDirectory() as folder:
            os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_CACHE": f"{folder}/cache"}
            os.chdir(folder)
            out.write_text(json.dumps(ask(words[1])), encoding="utf-8")
            os.chdir(out.parent)
    else:
        sys.stdout.write(build_page([json.loads(Path(name).read_text(encoding="utf-8")) for name in words[1:]]))


if __name__ == "__main__":
    main(sys.argv[1:])
