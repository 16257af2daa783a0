"""The columns of a printed table, measured on the texts or rankings of one system."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from epitome.formats.reading import InputFile, input_file
from epitome.formats.sample_files import SampleFileOptions
from epitome.measures import Value
from epitome.metrics.judged_labels import read_labels
from epitome.metrics.macsum_samples import read_macsum_file
from epitome.metrics.ranking import Scored, list_metrics
from epitome.metrics.report import ROUGES, Options, Report, load_tagger, make_report

Cells = dict[str, Value]
SLIP = "specificity_cc_as_published"
"""Beside MAC-Doc's columns: the CC of specificity as the paper computed it, with the function of extractiveness."""


def measure_texts(
    file: InputFile, options: SampleFileOptions, texts: Sequence[str] | None, labels: Path | None = None
) -> Cells:
    """Column -> number or reason, of MACSum's and CCSBench's tables. texts: in file order; None: the references.
    labels: a file with the focus that a judge saw in each text."""
    samples = read_macsum_file(file, options)
    if texts is None:
        texts = [sample.summary for sample in samples.samples]
    judged = read_labels(input_file(str(labels)), samples) if labels is not None else None
    report = make_report(samples, texts, tagger=load_tagger(samples), options=Options(replicates=1), judged=judged)
    return {**_macsum_cells(report), **_ccsbench_cells(report)}


def _macsum_cells(report: Report) -> Cells:
    cells = {f"{name}_cer": aggregate.value for name, aggregate in report.cer.items()}
    cells |= {f"{name}_cc": aggregate.value for name, aggregate in report.scores.cc.items()}
    cells |= {kind: report.content[kind].value for kind in ROUGES}
    if report.average is not None:
        cells["average_cer"] = report.average
    if report.scores.cc_as_published is not None:
        cells[SLIP] = report.scores.cc_as_published.value
    rouges = [report.content[kind].value for kind in ROUGES]
    cells["quality"] = _complement_of_mean(rouges)
    return cells


def _complement_of_mean(rouges: Sequence[Value]) -> Value:
    if not all(value.defined for value in rouges):
        return Value.none("a ROUGE is undefined")
    return Value.of(1 - sum(map(float, rouges)) / len(rouges))


def _ccsbench_cells(report: Report) -> Cells:
    names = {"pcc": "pcc", "mad": "mad", "sr": "sr", "fn": "normal", "fh": "high", "delta": "gap", "f1": "f1"}
    cells = {column: report.papers[name].value for column, name in names.items() if name in report.papers}
    rouge_l = report.content["rougeL"].value
    cells["rl"] = Value.of(100 * float(rouge_l)) if rouge_l.defined else rouge_l
    return cells


def measure_rankings(rows: Sequence[Mapping[str, Any]], golds: Mapping[str, frozenset[str]]) -> Cells:
    """ap, recall and rr: means over lists. rows: as predict_split gives them. golds: of each list, by sample id."""
    metrics = []
    for row in rows:
        known = golds[row["sample_id"]]
        marks = [text in known for text, _score in row["candidates"]]
        metrics.append(list_metrics(Scored(row["sample_id"], [score for _text, score in row["candidates"]], marks)))
    return {name: _mean_value([entry[name] for entry in metrics]) for name in ("ap", "recall", "rr")}


def _mean_value(values: Sequence[Value]) -> Value:
    defined = [float(value) for value in values if value.defined]
    return Value.of(sum(defined) / len(defined)) if defined else Value.none("no list has a gold")
