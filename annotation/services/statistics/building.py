"""All statistics of a project, for every filter the page offers, as JSON values. Runs in a worker."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.jobs import NoProgress, Progress
from annotation.models import Project
from annotation.services.sources.splits import ImportedSplits, find_crossings
from annotation.services.statistics.added_tables import BuildTable, prepare_tables
from annotation.services.statistics.assistance_arms import build_arms_figures, build_arms_table
from annotation.services.statistics.combinations import (
    SkipCounts,
    build_combinations_figure,
    build_combinations_table,
    build_values_figures,
    build_values_table,
    count_skips,
)
from annotation.services.statistics.control import (
    build_control_figures,
    build_control_table,
    count_missing,
    count_unmeasured,
)
from annotation.services.statistics.filters import ALL, ORIGINS, STATES, Filter
from annotation.services.statistics.ratios import build_ratios, length_attribute
from annotation.services.statistics.records import Record, SampleRequest, load_records
from annotation.services.statistics.size import build_size_table, list_splits
from epitome.figures.charts import Chart, chart_json
from epitome.figures.tables import Cell, Column, Table

RATIO_CAPTION = gettext_lazy(
    "Summary words / relevant words, one strip per requested length. Shaded: the guideline's range. Triangle: a mode. "
    "Number at the right: summaries beyond the axis."
)


@dataclass(frozen=True)
class _Data:
    project: Project
    records: Sequence[Record]
    samples: Collection[SampleRequest]
    skips: SkipCounts
    added_tables: Sequence[BuildTable] = ()


def build_statistics(project: Project, progress: Progress | None = None) -> dict[str, Any]:
    """{"splits": [...], "which": {filter key: name}, "views": {name: view}}: equal views are stored once."""
    progress = progress or NoProgress()
    records, samples = load_records(project, progress)
    data = _Data(
        project, records, list(samples.values()), count_skips(project), prepare_tables(project, records, progress)
    )
    splits = list_splits(records)
    crossing = build_crossings_table(project)
    which: dict[str, str] = {}
    views: dict[str, Any] = {}
    seen: dict[Any, str] = {}
    filters = list(product([ALL, *splits] if len(splits) > 1 else [ALL], ORIGINS, STATES))
    for number, (split, origin, state) in enumerate(filters):
        progress.check()
        progress.set(number, len(filters), _("calculating the tables"))
        chosen = Filter(split, origin, state)
        filtered = _filter_data(data, chosen)
        same = (tuple(item.pk for item in filtered.records), frozenset(item.pk for item in filtered.samples))
        if same not in seen:
            seen[same] = f"v{len(views)}"  # alphanumeric, because it becomes part of a JSON path
            views[seen[same]] = _build_view(filtered, crossing)
        which[chosen.key] = seen[same]
    progress.set(len(filters), len(filters))
    return {"splits": splits, "which": which, "views": views}


def _filter_data(data: _Data, chosen: Filter) -> _Data:
    """The records and samples that pass the filter. Samples count as people's unless they were imported."""
    records = [
        record
        for record in data.records
        if chosen.takes_split(record.sample.split)
        and chosen.takes_origin(record.by_person)
        and (record.accepted or chosen.state == "latest")
    ]
    samples = [
        sample for sample in data.samples if chosen.takes_split(sample.split) and chosen.takes_origin(sample.drawn)
    ]
    return _Data(data.project, records, samples, data.skips, data.added_tables)


def _build_view(data: _Data, crossing: Table) -> dict[str, Any]:
    schema, records = data.project.schema_version.schema, data.records
    length = next((item.measure for item in schema.sampled if item.measure == "length"), "length")
    control = build_control_table(records, schema)
    samples = [sample for sample in data.samples if not sample.is_reference]
    requested = [record for record in records if not record.sample.is_reference]
    combinations = build_combinations_table(samples, requested, data.skips, schema)
    values = build_values_table(samples, requested, schema)
    arms = build_arms_table(records, schema)
    ratio_report = build_ratios(records, schema)
    attribute = length_attribute(schema)
    sections = [
        _build_section(build_size_table(records, schema, length)),
        _build_section(
            control, build_control_figures(control, schema), caption=_("Dot: mean. Line: its 95 % interval.")
        ),
        _build_section(
            combinations,
            [build_combinations_figure(combinations)] if combinations.rows else [],
            caption=_("Rail: drawn. Filled: written."),
        ),
        _build_section(
            values, build_values_figures(values), caption=_("Share of the samples. Dashed: the schema's weight.")
        ),
        *(
            [_build_section(ratio_report.table, ratio_report.charts, ratio_report.flags, caption=RATIO_CAPTION)]
            if ratio_report.table
            else []
        ),
        *([_build_section(ratio_report.anchors)] if ratio_report.anchors else []),
        _build_section(arms, build_arms_figures(arms)),
        *(_build_section(build_table(records)) for build_table in data.added_tables),
        _build_section(crossing),
    ]
    return {
        "summaries": len(records),
        "sources": len({record.sample.source.pk for record in records}),
        "unmeasured": count_unmeasured(records, schema),
        "missing": count_missing(records, schema),
        "length": attribute.label if attribute else "",
        "sections": sections,
    }


def _build_section(
    table: Table, charts: Sequence[Chart] = (), flags: Sequence[str] = (), *, caption: object = ""
) -> dict[str, Any]:
    """One section of the page: a table, its figures with a caption, and notable findings as text."""
    return {
        "table": table.as_json(),
        "charts": [chart_json(chart) for chart in charts],
        "caption": str(caption),
        "flags": list(flags),
    }


def build_crossings_table(project: Project) -> Table:
    """Origins (meetings, articles) whose sources are in more than one split, over the whole project."""
    report: Mapping[str, Any] = find_crossings(project=project, splits=ImportedSplits())
    rows = [[Cell(row["origin_id"]), Cell(", ".join(row["splits"]))] for row in report["listed"]]
    n = report["origins"]
    message = ngettext("%(n)d origin occurs in more than one split.", "%(n)d origins occur in more than one split.", n)
    notes = [
        message % {"n": n} if n else _("No origin occurs in more than one split."),
        _("All sources of the project, whatever the filter."),
    ]
    if n > len(rows):
        notes.append(_("Limited to the first %(n)d.") % {"n": len(rows)})
    columns = [Column(_("Origin"), kind="text"), Column(_("Splits"), kind="text")]
    return Table("crossings", _("Origins that cross splits"), columns, rows, "", notes)
