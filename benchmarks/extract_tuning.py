"""Fit what controlled-extract expects of a reference, on MACSum's dev files: python -m benchmarks.extract_tuning

Linear models (ridge regression) of the logarithm of each measure of the reference summaries, by case: documents
without a topic, documents with one, dialogues. Prints for each the control error rate that a text would have that
measures exactly what costs least: fitted on all sources (in-sample), and on the other sources (cross-validated, ten
folds by source), beside the best constant. With --write the coefficients go to coefficients.toml of the system. They
are means and spreads: no text of the data is kept. Reads EPITOME_SHARED/data/macsum/*/val.json.
"""

import argparse
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from benchmarks.measures import FILES, SHARED
from epitome.formats.macsum import read_macsum
from epitome.formats.options import ImportOptions
from epitome.formats.reading import input_file
from epitome.formats.records import SourceRecord
from epitome.measures import Domain, SourceIndex, measure_summary, spacy_tagger
from epitome.schema import load_preset
from epitome.systems.controlled_extract.relevance import material_of, relevance_of
from epitome.systems.controlled_extract.request_targets import read_request_targets
from epitome.systems.controlled_extract.targets import EPSILON, FILE, Cost, Model, features_of, select_case
from epitome.systems.protocol import Request
from epitome.text.sentences import Segment

Floats = NDArray[np.float64]
Fitted = dict[str, dict[str, Model]]
FOLDS = 10
RESIDUALS = 21
RIDGE = 5.0
PRESETS: Mapping[Domain, str] = {"document": "macsum-doc", "dialogue": "macsum-dial"}
SHIFTS = {"length": 0.0, "specificity": 0.3, "extractiveness": 0.1, "speaker": 0.1}
# Few, and chosen for a reason: what the guideline of length is made of, what was asked, and how dense the source is.
FEATURES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "document": {
        "length": ("share", "share_squared", "total", "density"),
        "specificity": ("share", "density", "specific"),
        "extractiveness": ("share", "density", "extract", "extract_full"),
    },
    "document-topic": {
        "length": ("share", "total", "relevant", "hits", "all_hits", "extract_full", "specific"),
        "specificity": ("share", "density", "specific", "extract_full"),
        "extractiveness": ("share", "density", "extract", "extract_full", "topic_words"),
    },
    "dialogue": {
        "length": ("share", "share_squared", "total", "relevant", "hits", "spoken", "has_speakers", "specific"),
        "specificity": ("share", "share_squared", "density", "specific", "extract_full"),
        "extractiveness": ("density", "extract", "extract_full", "relevant"),
        "speaker": ("spoken", "speakers"),
    },
}


@dataclass(frozen=True)
class Row:
    """One reference: its source's number, the features of its request, and what it measures."""

    case: str
    source: int
    features: Mapping[str, float]
    measured: Mapping[str, float]


def rows_of(path: Any, domain: Domain) -> list[Row]:
    """Every reference of a file. Raises ValueError for a fault in it."""
    items: list[Row] = []
    for number, record in enumerate(read_macsum(input_file(str(path)), ImportOptions(with_references=True))):
        if not isinstance(record, SourceRecord):
            raise ValueError(str(record))
        items += _of_source(record, number, domain)
    return items


def _of_source(record: SourceRecord, number: int, domain: Domain) -> list[Row]:
    material, index = (
        material_of(record.segments, domain),
        SourceIndex(cast(list[Segment], record.segments), domain=domain),
    )
    items = []
    for reference in record.references:
        values = {
            key: tuple(value) if isinstance(value, list) else value for key, value in reference.attributes.items()
        }
        request = Request("", tuple(record.segments), values, load_preset(PRESETS[domain]))
        request_targets = read_request_targets(request)
        case = select_case(material, request_targets)
        measured = measure_summary(
            reference.summary, index, reference.attributes, measures=list(FEATURES[case]), tagger=spacy_tagger()
        )
        relevance = relevance_of(material, request_targets.topics, request_targets.speakers)
        known = {name: value.value for name, value in measured.items() if value.value is not None}
        items.append(Row(case, number, features_of(material, relevance, request_targets), known))
    return items


def fitted(rows: Sequence[Row], without: Collection[int] = ()) -> Fitted:
    """The models of every case that has rows, from all sources but those left out."""
    results = [row for row in rows if row.source not in without]
    return {
        case: {
            name: model_of([row for row in results if row.case == case], name, value) for name, value in value.items()
        }
        for case, value in FEATURES.items()
        if any(row.case == case for row in results)
    }


def model_of(rows: Sequence[Row], measure: str, names: Sequence[str]) -> Model:
    """Ridge regression over standardised features; the residuals as quantiles.

    A speaker share of 0 is left out: it means that the source has no such speaker, which the measure itself says.
    """
    rows = [row for row in rows if measure in row.measured and (measure != "speaker" or row.measured[measure] > 0)]
    x = np.array([[row.features[name] for name in names] for row in rows], dtype=np.float64)
    y = np.log(np.array([row.measured[measure] for row in rows]) + SHIFTS[measure])
    middle, width = x.mean(axis=0), x.std(axis=0) + 1e-9
    z = (x - middle) / width
    weights = np.linalg.solve(z.T @ z + RIDGE * np.eye(z.shape[1]), z.T @ (y - y.mean())) / width
    intercept = float(y.mean() - middle @ weights)
    residuals = np.quantile(y - x @ weights - intercept, (np.arange(RESIDUALS) + 0.5) / RESIDUALS)
    return Model(
        shift=SHIFTS[measure],
        intercept=round(intercept, 5),
        coefficients={name: round(float(weight), 5) for name, weight in zip(names, weights, strict=True)},
        residuals=tuple(round(float(residual), 4) for residual in residuals),
    )


def errors(rows: Sequence[Row], models: Fitted) -> dict[tuple[str, str], list[float]]:
    """For each case and measure, the error of a text that measures just what the model's cost has as its best."""
    fields: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        for name, model in models[row.case].items():
            if name in row.measured:
                gold = row.measured[name]
                best = Cost.of(model.values(row.features), EPSILON[name]).best
                if name == "speaker" and gold == 0:
                    best = 0.0
                fields.setdefault((row.case, name), []).append(abs(best - gold) / max(gold + EPSILON[name], 1e-6))
    return fields


def fold_of(source: int) -> int:
    """Sources go to the folds in turn."""
    return source % FOLDS


def held_out(rows: Sequence[Row]) -> dict[tuple[str, str], list[float]]:
    """The errors of every row by models that have not seen its source."""
    fields: dict[tuple[str, str], list[float]] = {}
    for fold in range(FOLDS):
        out = {row.source for row in rows if fold_of(row.source) == fold}
        models = fitted(rows, out)
        for key, value in errors([row for row in rows if row.source in out], models).items():
            fields.setdefault(key, []).extend(value)
    return fields


def constant(rows: Sequence[Row], case: str, measure: str) -> float:
    """The error of the best constant, which has seen everything."""
    gold = np.array([row.measured[measure] for row in rows if row.case == case and measure in row.measured])
    best = Cost.of(list(gold), EPSILON[measure]).best
    return float(np.mean(np.abs(best - gold) / np.maximum(gold + EPSILON[measure], 1e-6)))


def as_toml(models: Fitted) -> str:
    lines = [
        "# What a reference summary is expected to measure for a request: see targets.py of this folder.",
        "# Written by `python -m benchmarks.extract_tuning --write` from MACSum's two dev files; do not edit.",
    ]
    for case, entry in models.items():
        for name, model in entry.items():
            lines += ["", f"[models.{case}.{name}]", f"shift = {model.shift}", f"intercept = {model.intercept}"]
            inner = ", ".join(f"{key} = {value}" for key, value in model.coefficients.items())
            lines += [f"coefficients = {{ {inner} }}", f"residuals = [{', '.join(map(str, model.residuals))}]"]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(":")[0])
    parser.add_argument("--write", action="store_true", help="replace the system's coefficients.toml")
    options = parser.parse_args()
    models: Fitted = {}
    print(f"{'case':16}{'measure':16}{'n':>5}{'constant':>10}{'in-sample':>11}{'held out':>10}")
    for path, domain in FILES.values():
        rows = rows_of(SHARED / path, domain)
        result = fitted(rows)
        seen, unseen = errors(rows, result), held_out(rows)
        for case, measure in seen:
            items = [constant(rows, case, measure), np.mean(seen[case, measure]), np.mean(unseen[case, measure])]
            print(f"{case:16}{measure:16}{len(seen[case, measure]):5}" + "".join(f"{item:10.3f}" for item in items))
        models |= result
    if options.write:
        FILE.write_text(as_toml(models), encoding="utf-8")
        print(f"wrote {FILE.name}")


if __name__ == "__main__":
    main()
