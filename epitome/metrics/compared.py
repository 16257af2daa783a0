"""What scripts with other libraries print for the same texts, and why it differs from a report.

The numbers follow the libraries' definitions; ROUGE is computed by rouge-score's own floats.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from statistics import fmean

from epitome.measures import ENGLISH
from epitome.metrics.macsum_samples import MacsumFile
from epitome.metrics.report import Report
from epitome.metrics.rouge_scores import rouge_f
from epitome.metrics.table_numbers import ROUGES
from epitome.results import Compared

ROUNDING = 1e-9


def compare_report(report: Report, predictions: Sequence[str] | None) -> list[Compared]:
    """Where another library gives another number than the report of these predictions, or of the references."""
    file = report.file
    texts = [sample.summary for sample in file.samples] if predictions is None else predictions
    rows = _compare_lengths(report, texts)
    if predictions is not None:
        rows += _compare_rouge(report, predictions)
    return [row for row in rows if row.ours is None or abs(row.ours - float(row.theirs)) >= ROUNDING]


def _compare_lengths(report: Report, texts: Sequence[str]) -> list[Compared]:
    """Words by str.split beside tokens, for each requested length."""
    rows = []
    for attribute, cells in report.scores.f.items():
        if report.file.measure_of(attribute) != "length":
            continue
        for value, cell in cells.items():
            sizes = [
                len(text.split())
                for text, sample in zip(texts, report.file.samples, strict=True)
                if sample.requested.get(attribute) == value
            ]
            why = "cuts at blanks only; this counts tokens, so marks and the parts of don't too"
            rows.append(Compared(f"f {attribute} {value}", cell.value.value, "len(text.split())", fmean(sizes), why))
    return rows


def _compare_rouge(report: Report, predictions: Sequence[str]) -> list[Compared]:
    """rouge-score as it is called without options, and with all references of a request at once."""
    file = report.file
    language = ENGLISH if file.schema is None else file.schema.language
    references = [sample.summary for sample in file.samples]
    groups = _group_references(file)
    rows = []
    for kind in ROUGES:
        if kind not in report.content:
            continue
        ours = report.content[kind].value.value
        shares = rouge_f(references, predictions, [kind], use_stemmer=False)[kind]
        plain = fmean(share or 0.0 for share in shares)  # rouge-score has 0 where nothing is defined
        why = "does not stem unless it is told to, and" if language == ENGLISH else "in other languages"
        why += " knows words of a-z and 0-9 only" if language != ENGLISH else " this stems"
        rows.append(Compared(kind, ours, f"rouge-score RougeScorer(['{kind}'])", plain, why))
        if any(len(places) > 1 for places in groups):
            best = _best_reference(groups, references, predictions, kind)
            why = "takes the best reference of a request per kind; this is the mean over them"
            rows.append(Compared(kind, ours, "rouge-score score_multi", best, why))
    return rows


def _group_references(file: MacsumFile) -> list[list[int]]:
    """The places of samples that ask one source for the same, whose summaries are references of one another."""
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for place, sample in enumerate(file.samples):
        picks = tuple(sorted((name, str(value)) for name, value in sample.picks.items()))
        groups[sample.source, tuple(sorted(sample.requested.items())), picks].append(place)
    return list(groups.values())


def _best_reference(
    groups: Sequence[Sequence[int]], references: Sequence[str], predictions: Sequence[str], kind: str
) -> float:
    """The mean over predictions of the best F that a reference of the same request gives."""
    pairs = [(text, other) for places in groups for text in places for other in places]
    shares = rouge_f([references[other] for _, other in pairs], [predictions[text] for text, _ in pairs], [kind])[kind]
    best: dict[int, float] = {}
    for (text, _other), share in zip(pairs, shares, strict=True):
        best[text] = max(best.get(text, 0.0), share or 0.0)
    return fmean(best.values())
