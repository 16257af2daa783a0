"""The columns of CCSBench's tables for the texts of one run, for projects with its length bins."""

from epitome.metrics.paper_columns import has_ccsbench_length, measure_run_texts

__all__ = ["COLUMNS", "has_ccsbench_length", "measure_run_texts"]

COLUMNS = {
    "mad": "MAD ↓",
    "pcc": "PCC ↑",
    "sr": "SR ↑",
    "normal": "F normal",
    "high": "F high",
    "gap": "ΔF ↑",
    "f1": "F1 ↑",
    "f1_low": "F1 low",
    "f1_high": "F1 high",
}
"""Mean distance in bins, correlation with the requested bin, share of keywords found, grades and their difference,
F1 of the focus that a judge saw: mean of both classes, and of each."""
