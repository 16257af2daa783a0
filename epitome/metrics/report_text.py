"""Formats a report as text tables, with the published values where the file is a published split."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from epitome.measures import Value
from epitome.metrics.aggregate import Aggregate
from epitome.metrics.known_splits import KnownSplit, recognise_split
from epitome.metrics.macsum_samples import MacsumFile
from epitome.metrics.published import SYSTEM_TABLES, PublishedTable, find_table
from epitome.metrics.report import Report, Scores
from epitome.metrics.table_numbers import CONTENT, ContentMetric

Row = list[str]
PAPER_LABELS = {
    "mad": "MAD of length bins",
    "pcc": "PCC of length",
    "sr": "SR of keywords",
    "normal": "Grade, normal readability",
    "high": "Grade, high readability",
    "gap": "Grade, normal - high",
    "f1": "F1 of focus, macro",
    "f1_low": "F1 of focus, low",
    "f1_high": "F1 of focus, high",
}
NONE = "-"


def report_text(report: Report) -> str:
    """Lines without a newline at the end: f_r, CC, CER and content, each with n and interval; then the notes."""
    known = recognise_split(report.file) if report.file.schema is None else None
    sections = [_header_lines(report, known), _f_lines(report, known), _cc_lines(report, known)]
    if report.gold is not None:
        sections.append(_cer_lines(report))
    if report.papers:
        sections.append(_paper_lines(report))
    if report.gold is not None and known is not None and _gold_cc_table(report, known) is not None:
        sections.append(_system_lines(known))
    sections.append(_note_lines(report, known))
    return "\n\n".join("\n".join(lines) for lines in sections)


def align_rows(rows: Sequence[Row]) -> list[str]:
    """Rows of one length as lines: the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join([row[0].ljust(widths[0]), *cells]).rstrip())
    return lines


def _header_lines(report: Report, known: KnownSplit | None) -> list[str]:
    size = f"{len(report.file.samples)} samples of {len(report.file.sources)} sources"
    if report.file.by_origin:
        size += f" from {len({source.origin_id for source in report.file.sources})} origins"
    lines = [f"{report.file.name}: {size}, profile {report.options.profile}"]
    if report.file.schema is not None:
        return [*lines, f"Schema: {report.file.schema.name}."]
    if known is None:
        return [*lines, "Not a published split of MACSum, so there are no published values beside these."]
    return [*lines, f"{known.name} ({known.sure})."]


def _f_lines(report: Report, known: KnownSplit | None) -> list[str]:
    """The table of f_r by requested value."""
    printed = find_table("macsum/table_3") if known and report.options.profile == "release" else None
    whose = "references" if report.gold is None else "predictions"
    header = [f"f_r of the {whose}", "n", "mean", "95 % interval"]
    rows = [header + (["references"] if report.gold else []) + (["published"] if printed else [])]
    cells = zip(_f_cells(report.file, report.scores), _f_cells(report.file, report.gold or report.scores), strict=True)
    for (label, name, cell), (_, _, gold) in cells:
        show = _number_format(report.file, name)
        row = [
            label,
            str(cell.n),
            format_mean(cell.value, show),
            format_interval(cell, show),
        ]
        row += [format_mean(gold.value, show)] if report.gold else []
        if printed and known:
            row.append(_published_cell(printed, name, known.key, show=two_digits))
        rows.append(row)
    return [*align_rows(rows), *_left_out_lines(report.file, report.scores)]


def _f_cells(file: MacsumFile, scores: Scores) -> Iterator[tuple[str, str, Aggregate]]:
    """Each row's label, its key as in the published table (`length-short`, `topic`), and its cell."""
    for name, values in scores.f.items():
        for value, cell in values.items():
            yield f"{file.label_of(name)} {file.value_label(name, value)}", f"{name}-{value}", cell
    for name, cell in scores.shares.items():
        yield file.label_of(name), name, cell


def _left_out_lines(file: MacsumFile, scores: Scores) -> list[str]:
    return [
        f"{file.label_of(name)}: {cell.left_out} samples without {name} are left out."
        for name, cell in scores.shares.items()
        if cell.left_out
    ]


def _cc_lines(report: Report, known: KnownSplit | None) -> list[str]:
    """The table of CC; for documents also the number that the published table prints instead."""
    printed = _gold_cc_table(report, known)
    header = ["CC (f_r per step)", "pairs", "slope", "95 % interval"]
    rows = [header + (["references"] if report.gold else []) + (["published"] if printed else [])]
    gold = report.gold or report.scores
    for name, cell in report.scores.cc.items():
        slip = name == "specificity" and gold.cc_as_published is not None
        label_of_row = report.file.label_of(name)
        cells = [(label_of_row, cell, gold.cc[name], "" if slip else f"{name}_cc")]
        if slip and report.scores.cc_as_published and gold.cc_as_published:
            cells.append((f"{label_of_row}, as published *", report.scores.cc_as_published, gold.cc_as_published,
                          f"{name}_cc"))  # fmt: skip
        for label, ours, theirs, column in cells:
            show = _number_format(report.file, name)
            row = [label, str(ours.n), format_mean(ours.value, show), format_interval(ours, show)]
            row += [format_mean(theirs.value, show)] if report.gold else []
            row += [_published_cell(printed, "gold", column, show=lambda number: f"{number:.3f}")] if printed else []
            rows.append(row)
    return [*align_rows(rows), *_cc_notes(report)]


def _gold_cc_table(report: Report, known: KnownSplit | None) -> PublishedTable | None:
    """The published table whose gold row is comparable (test split, release profile, neighbouring pairs), else None."""
    if known is None or known.split != "test" or report.options.profile != "release":
        return None
    return find_table(SYSTEM_TABLES[known.dataset]) if report.options.pairs == "neighbours" else None


def _cc_notes(report: Report) -> list[str]:
    notes = [f"Pairs: {report.options.pairs}. Best is closest to the references."]
    for name, cell in report.scores.cc.items():
        if not cell.value.defined:
            notes.append(f"{report.file.label_of(name)}: undefined, {cell.value.undefined}.")
    if report.scores.cc_as_published is not None:
        notes.append(
            "* MACSum's Table 4 (documents) measured this column with the function of extractiveness; "
            "the line above it is the true value."
        )
    return notes


def _cer_lines(report: Report) -> list[str]:
    """CER, lower is better, and the metrics of content."""
    header = [f"CER ({report.options.eps_policy})", "n", "mean", "95 % interval"]
    rows = [header]
    for name, cell in report.cer.items():
        rows.append(
            [
                report.file.label_of(name),
                str(cell.n),
                format_mean(cell.value, three_digits),
                format_interval(cell, three_digits),
            ]
        )
    average = report.average or Value.none("no attributes")
    rows.append([f"Average of {len(report.cer)}", "", format_mean(average, three_digits), ""])
    rows += [row for metric in CONTENT.values() for row in _content_rows(metric, report)]
    lines = align_rows(rows)
    if not average.defined:
        lines.append(f"Average: undefined, {average.undefined}.")
    return lines + [line for metric in CONTENT.values() for line in _list_content_left_out(metric, report)]


def _content_rows(metric: ContentMetric, report: Report) -> Iterator[Row]:
    for number in metric.numbers:
        if cell := report.content.get(number.key):
            show = f"{{:.{number.digits}f}}".format
            yield [number.label, str(cell.n), format_mean(cell.value, show), format_interval(cell, show)]


def _list_content_left_out(metric: ContentMetric, report: Report) -> Iterator[str]:
    for number in metric.numbers:
        cell = report.content.get(number.key)
        if cell and cell.left_out:
            yield f"{number.label.removesuffix(' F')}: {cell.left_out} {metric.left_out} are left out."


def _paper_lines(report: Report) -> list[str]:
    """The columns of CCSBench's tables."""
    rows = [["CCSBench", "n", "value", "95 % interval"]]
    for name, cell in report.papers.items():
        show = two_digits if name in ("normal", "high", "gap") else three_digits
        rows.append([PAPER_LABELS[name], str(cell.n), format_mean(cell.value, show), format_interval(cell, show)])
    undefined = [
        f"{PAPER_LABELS[name]}: undefined, {cell.value.undefined}."
        for name, cell in report.papers.items()
        if not cell.value.defined
    ]
    return [*align_rows(rows), *undefined]


def _system_lines(known: KnownSplit) -> list[str]:
    """The systems of the paper on this split."""
    printed = find_table(SYSTEM_TABLES[known.dataset])
    columns = {name: name.replace("_cer", " CER").replace("_cc", " CC") for name in printed.columns}
    rows = [["Published", *(_short_label(label) for label in columns.values())]]
    for row in printed.rows:
        cells = [
            f"{row.cells[name]:.3f}{'*' if name in row.slips else ''}" if name in row.cells else NONE
            for name in columns
        ]
        rows.append([row.name, *cells])
    return [f"{printed.caption}, {printed.source}", *align_rows(rows)]


def _short_label(label: str) -> str:
    codes = {"length": "Len", "extractiveness": "Ext", "specificity": "Spe", "topic": "Tpc", "speaker": "Spk",
             "average": "Avg", "rouge1": "R1", "rouge2": "R2", "rougeL": "RL"}  # fmt: skip
    first, _, rest = label.partition(" ")
    return f"{codes[first]} {rest}".strip()


def _note_lines(report: Report, known: KnownSplit | None) -> list[str]:
    lines = []
    if known is not None and report.options.profile == "release":
        where = "Tables 3 to 5" if known.split == "test" else "Table 3"
        lines.append(f"Published: {where} of MACSum, {find_table('macsum/table_3').source}, to their printed digits.")
        for row in find_table("macsum/table_3").rows:
            if known.key in row.slips:
                lines.append(f"{row.name}: {row.slips[known.key]}.")
    options = report.options
    drawn = "origin" if report.file.by_origin else "source"
    lines.append(
        f"95 %: percentile bootstrap drawn by {drawn}, {options.replicates} replicates, seed {options.seed}; "
        f"{NONE} where it is undefined."
    )
    return [*lines, str(report.signature.with_(replicates=options.replicates, seed=options.seed))]


def _number_format(file: MacsumFile, name: str) -> Callable[[float], str]:
    """The number format of an attribute, or of one of its values (`length-short`)."""
    attribute = name if name in file.attributes else name.partition("-")[0]
    return two_digits if file.measure_of(attribute) in ("length", "readability") else three_digits


def two_digits(number: float) -> str:
    return f"{number:.2f}"


def three_digits(number: float) -> str:
    return f"{number:.3f}"


def format_mean(value: Value, show: Callable[[float], str]) -> str:
    return "n/a" if value.value is None else show(value.value)


def format_interval(cell: Aggregate, show: Callable[[float], str]) -> str:
    low, high = cell.interval.low, cell.interval.high
    return NONE if low is None or high is None else f"{show(low)} to {show(high)}"


def _published_cell(printed: PublishedTable, row: str, column: str, *, show: Callable[[float], str]) -> str:
    """A published cell, marked with * where it is a misprint."""
    number = printed.cell(row, column) if column else None
    if number is None:
        return NONE
    return show(number) + ("*" if column in printed.row(row).slips else "")
