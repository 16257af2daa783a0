"""Makes the rows of a table: trains or reuses, predicts, measures. What is whole is kept in the state folder."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from epitome.measures import Value
from epitome.reproduction.measuring import Cells, measure_rankings, measure_texts
from epitome.reproduction.predicting import predict_split
from epitome.reproduction.tables import TablePlan, TableRow
from epitome.reproduction.tiny_inputs import shrink_system
from epitome.reproduction.workplace import Workplace, training_chain
from epitome.systems.batching import free_memory
from epitome.systems.files import read_requests
from epitome.systems.neural.weights import file_hash
from epitome.systems.registry import config_of
from epitome.training.folders import read_json, write_json
from epitome.training.ranking_data import read_split_lists
from epitome.training.run import run_training
from epitome.training.watching import ProgressWatch, ShownProgress


class Progress(ShownProgress, Protocol):
    def advance(self, n: int = 1) -> None:
        """n more are done."""

    def close(self) -> None:
        """The stage is over."""


OpenProgress = Callable[[str, int], Progress]
"""(title of a stage, of how many; 0: not known yet) -> its progress."""


@dataclass(frozen=True)
class MadeRow:
    """cells: seed -> column -> number or reason. not_made: why there are none, "" where there are."""

    row: TableRow
    cells: Mapping[int, Cells]
    not_made: str = ""


def make_rows(
    place: Workplace,
    table: TablePlan,
    rows: Sequence[TableRow],
    seeds: Sequence[int],
    texts: Mapping[str, Path],
    labels: Mapping[str, Path],
    open_progress: OpenProgress,
) -> list[MadeRow]:
    """texts: row -> a file of predictions that were made elsewhere; labels: row or part -> a file with the focus that a
    judge saw in its texts. Raises TableFault, SchemaError, TrainingFault, SystemFault, UnreadableFile, UnfitFile,
    BadInput."""
    made_rows = []
    for row in rows:
        if row.key in texts:
            made_rows.append(MadeRow(row, {0: _measure_given(place, table, row, texts[row.key], labels)}))
        elif row.elsewhere:
            made_rows.append(MadeRow(row, {}, f"{row.elsewhere}; measure its texts with --predictions {row.key}=FILE"))
        else:
            own_seeds = seeds if row.is_trained else seeds[:1]
            made_rows.append(
                MadeRow(row, {seed: _make_parts(place, table, row, seed, labels, open_progress) for seed in own_seeds})
            )
    return made_rows


def _make_parts(
    place: Workplace,
    table: TablePlan,
    row: TableRow,
    seed: int,
    labels: Mapping[str, Path],
    open_progress: OpenProgress,
) -> Cells:
    """The columns of a row, each of the part that it is measured on."""
    cells: Cells = {}
    for part_row in row.list_parts():
        part_cells = make_row(place, table, part_row, seed, open_progress, labels.get(part_row.key))
        columns = row.parts.get(part_row.training, tuple(part_cells))
        cells |= {column: part_cells[column] for column in columns if column in part_cells}
    return cells


def make_row(
    place: Workplace,
    table: TablePlan,
    row: TableRow,
    seed: int,
    open_progress: OpenProgress,
    labels: Path | None = None,
) -> Cells:
    """The columns of one row with one seed. labels: a file with the focus that a judge saw in the texts."""
    if row.references:
        return measure_texts(place.split_file(table, row), place.sample_options(table.data[row.data]), None)
    system_text = _prepare_system(place, table, row, seed, open_progress)
    free_memory()
    progress = open_progress(f"{row.name}, seed {seed}: predicting", 0)
    try:
        if table.measure == "ranking":
            return _make_rankings(place, table, row, seed, system_text, progress)
        return _make_texts(place, table, row, seed, system_text, progress, labels)
    finally:
        progress.close()
        free_memory()


def _prepare_system(place: Workplace, table: TablePlan, row: TableRow, seed: int, open_progress: OpenProgress) -> str:
    """The TOML of the row's system, after the trainings that it needs."""
    if row.system:
        return shrink_system(config_of(row.system).text, place.tiny)
    system_text = ""
    for key in training_chain(row.training):
        config = place.training_config(key, seed, table.training_source(key, row))
        progress = open_progress(f"{row.name}, seed {seed}: training {key}", 0)
        try:
            system_text = run_training(config, place.training_folder(key, seed), ProgressWatch(progress)).system
        finally:
            progress.close()
            free_memory()
    return system_text


def _make_texts(
    place: Workplace,
    table: TablePlan,
    row: TableRow,
    seed: int,
    system_text: str,
    progress: Progress,
    labels: Path | None,
) -> Cells:
    file, options = place.split_file(table, row), place.sample_options(table.data[row.data])
    requests = read_requests(file, seed, options)
    progress.set(0, len(requests))
    path = place.row_file(table, row, seed, "predictions.jsonl")
    texts = [entry["prediction"] for entry in predict_split(system_text, requests, path, progress.advance)]
    inputs = [path, file.path, *([labels] if labels is not None else [])]
    stored = place.row_file(table, row, seed, "numbers.json")
    return _measure_once(stored, inputs, lambda: measure_texts(file, options, texts, labels))


def _make_rankings(
    place: Workplace, table: TablePlan, row: TableRow, seed: int, system_text: str, progress: Progress
) -> Cells:
    data = place.training_data(table.data[row.data])
    lists = read_split_lists(data, table.split)
    progress.set(0, len(lists))
    path = place.row_file(table, row, seed, "predictions.jsonl")
    rows = predict_split(system_text, [example.request for example in lists], path, progress.advance)
    return measure_rankings(rows, {example.request.id: frozenset(example.gold_texts) for example in lists})


def _measure_given(place: Workplace, table: TablePlan, row: TableRow, path: Path, labels: Mapping[str, Path]) -> Cells:
    """Of predictions from elsewhere, one line per sample in the order of the split."""
    from epitome.formats.reading import input_file
    from epitome.metrics.macsum_samples import read_macsum_file, read_predictions

    file, options = place.split_file(table, row), place.sample_options(table.data[row.data])
    texts = read_predictions(input_file(str(path)), read_macsum_file(file, options))
    return measure_texts(file, options, texts, labels.get(row.key))


def _measure_once(stored: Path, inputs: Sequence[Path], measure: Callable[[], Cells]) -> Cells:
    """The numbers of these files: predictions, split and labels; measured again only when one has changed."""
    identity = " ".join(map(file_hash, inputs))
    known = read_json(stored)
    if known.get("of") == identity:
        return {name: _read_value(cell) for name, cell in known["cells"].items()}
    cells = measure()
    write_json(stored, {"of": identity, "cells": {name: value_as_dict(value) for name, value in cells.items()}})
    return cells


def value_as_dict(value: Value) -> dict[str, float | str]:
    """{"value": number} or {"undefined": reason}."""
    return {"value": float(value)} if value.defined else {"undefined": value.undefined}


def _read_value(cell: Mapping[str, float | str]) -> Value:
    return Value.of(float(cell["value"])) if "value" in cell else Value.none(str(cell["undefined"]))
