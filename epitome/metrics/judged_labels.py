"""The focus that a judge saw in texts: one label per sample, in a file of its own or beside the predictions."""

from __future__ import annotations

from epitome.formats.faults import Fault, FieldFault
from epitome.formats.reading import InputFile, Spot, read_lines
from epitome.formats.strictjson import BadJson, parse_strict_json
from epitome.metrics.ccsbench_scores import FOCUS
from epitome.metrics.macsum_samples import BadInput, MacsumFile

LABEL_KEYS = ("judged_focus", "label")


def read_labels(file: InputFile, samples: MacsumFile) -> dict[int, str | None]:
    """Place of a sample -> low or high, None for an answer that was neither. One line per sample in file order: a JSON
    string, null, or {"label": ...}.

    Raises BadInput: another label, other counts; UnreadableFile.
    """
    labels = _read_lines(file, is_required=True)
    if len(labels) != len(samples.samples):
        message = f"holds {len(labels)} labels, but {samples.name} has {len(samples.samples)} samples"
        raise BadInput(file.fault(message, line=max(1, len(labels)), code="count", fatal=True))
    return labels


def find_labels(predictions: InputFile) -> dict[int, str | None]:
    """The labels that lines of predictions carry as `judged_focus` or `label`; empty where none does."""
    return _read_lines(predictions, is_required=False)


def _read_lines(file: InputFile, *, is_required: bool) -> dict[int, str | None]:
    labels: dict[int, str | None] = {}
    for index, line in enumerate(read_lines(file)):
        if isinstance(line, Fault):
            raise BadInput(line)
        spot = Spot(file, line[0], 1, line[1])
        try:
            value = parse_strict_json(spot.raw)
            key = next((key for key in LABEL_KEYS if key in value), "") if isinstance(value, dict) else ""
            if key:
                labels[index] = _check_label(value[key], (key,))
            elif is_required:
                labels[index] = _check_label(value, ())
        except (BadJson, FieldFault) as error:
            raise BadInput(spot.fault(error)) from error
    return labels


def _check_label(value: object, path: tuple[str | int, ...]) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or value not in FOCUS:
        raise FieldFault(path, f"must be one of {', '.join(FOCUS)}, or null for an answer that is neither", value)
    return FOCUS[value]
