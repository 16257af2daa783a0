"""Three small files in the layout of the public CCSBench repository as far as it is known (a folder per set, train, val
and test as CSV, too small to hold documents; the names of its columns are not known and are made up here), and the
documents. All texts are our own."""

import json
from pathlib import Path

DOCUMENTS = {
    "2401.00001": "We study budgets of towns. A model predicts the costs. It errs by four percent.",
    "2401.00002": "We study roofs that leak. Sensors report water. Repairs got cheaper by half.",
}
HEADER = "id,summary,length,keywords,readability,focus,set,origin,rewritten_from\n"
FILES = {
    "readability/train.csv": HEADER
    + "2401.00001,Budgets of towns can be predicted by a model.,,,normal,,readability,abstract,\n"
    + "2401.00001,A computer can tell what a town will pay.,,,high,,readability,rewrite:readability,a1\n"
    + "2401.00002,Sensors find leaking roofs.,,,normal,,readability,abstract,\n",
    "focus/val.csv": HEADER
    + "2401.00002,Repairs got cheaper by half.,,,,empirical,focus,rewrite:empirical,\n"
    + "2401.00002,Sensors report water in roofs.,,,,conceptual,focus,rewrite:conceptual,\n",
    "compositional/test.csv": HEADER
    + "2401.00001,The model errs by four percent.,0-50,\"['model', 'percent']\",normal,empirical,compositional,"
    + "rewrite:empirical,\n"
    + "2401.00001,The guess is off by four in a hundred.,0.0,guess,high,high,compositional,rewrite:compositional,\n",
}


def write_files(folder: Path) -> dict[str, Path]:
    """The files by their names in the repository, and `documents.jsonl`."""
    paths = {}
    for name, content in FILES.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")
        paths[name] = path
    documents = folder / "documents.jsonl"
    lines = [json.dumps({"id": name, "text": text}) for name, text in DOCUMENTS.items()]
    documents.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return {**paths, "documents.jsonl": documents}
