"""All statistics of a project, for every filter the page offers, as JSON values. Runs in a worker."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.figures.charts import Chart, chart_json
from annotation.figures.tables import Cell, Column, Table
from annotation.jobs import NoProgress, Progress
from annotation.models import Project
from annotation.services.splitting import Keep, crossings
from annotation.services.statistics.arms import figures_arms, table_arms
from annotation.services.statistics.combinations import (
    Skips,
    figure_combinations,
    figures_values,
    skips_of,
    table_combinations,
    table_values,
)
from annotation.services.statistics.control import figures3, missing, table3, unmeasured
from annotation.services.statistics.filters import ALL, ORIGINS, STATES, Filter
from annotation.services.statistics.ratios import length_of, ratios
from annotation.services.statistics.records import Asked, Record, read
from annotation.services.statistics.size import splits_of, table2

RATIO_CAPTION = gettext_lazy(
    "Summary words / relevant words, one strip per requested length. Shaded: the guideline's range. Triangle: a mode. "
    "Number at the right: summaries beyond the axis."
)


@dataclass(frozen=True)
class _Data:
    project: Project
    records: Sequence[Record]
    samples: Collection[Asked]
    skips: Skips


def build(project: Project, progress: Progress | None = None) -> dict[str, Any]:
    """{"splits": [...], "which": {filter key: name}, "views": {name: view}}: equal views are stored once."""
    progress = progress or NoProgress()
    records, samples = read(project, progress)
    data = _Data(project, records, list(samples.values()), skips_of(project))
    splits = splits_of(records)
    crossing = table_crossings(project)
    which: dict[str, str] = {}
    views: dict[str, Any] = {}
    seen: dict[Any, str] = {}
    for split, origin, state in product([ALL, *splits] if len(splits) > 1 else [ALL], ORIGINS, STATES):
        progress.check()
        chosen = Filter(split, origin, state)
        part = _part(data, chosen)
        same = (tuple(one.pk for one in part.records), frozenset(one.pk for one in part.samples))
        if same not in seen:
            seen[same] = f"v{len(views)}"  # a plain word: it becomes part of a path into the stored JSON
            views[seen[same]] = _view(part, crossing)
        which[chosen.key] = seen[same]
    return {"splits": splits, "which": which, "views": views}


def _part(data: _Data, chosen: Filter) -> _Data:
    """What passes the filter. Samples count as of people where they were drawn here or by whom they came from."""
    records = [
        one
        for one in data.records
        if chosen.takes_split(one.sample.source.split)
        and chosen.takes_origin(one.by_person)
        and (one.accepted or chosen.state == "latest")
    ]
    samples = [one for one in data.samples if chosen.takes_split(one.source.split) and chosen.takes_origin(one.drawn)]
    return _Data(data.project, records, samples, data.skips)


def _view(part: _Data, crossing: Table) -> dict[str, Any]:
    schema, records = part.project.schema_version.schema, part.records
    length = next((each.measure for each in schema.sampled if each.measure == "length"), "length")
    control = table3(records, schema)
    combinations = table_combinations(part.samples, records, part.skips, schema)
    values = table_values(part.samples, records, schema)
    arms = table_arms(records, schema)
    about = ratios(records, schema)
    attribute = length_of(schema)
    sections = [
        _section(table2(records, schema, length)),
        _section(control, figures3(control, schema), caption=_("Dot: mean. Line: its 95 % interval.")),
        _section(
            combinations,
            [figure_combinations(combinations)] if combinations.rows else [],
            caption=_("Rail: drawn. Filled: written."),
        ),
        _section(values, figures_values(values), caption=_("Share of the samples. Dashed: the schema's weight.")),
        *([_section(about.table, about.charts, about.flags, caption=RATIO_CAPTION)] if about.table else []),
        *([_section(about.anchors)] if about.anchors else []),
        _section(arms, figures_arms(arms)),
        _section(crossing),
    ]
    return {
        "summaries": len(records),
        "sources": len({one.sample.source.pk for one in records}),
        "unmeasured": unmeasured(records, schema),
        "missing": missing(records, schema),
        "length": attribute.label if attribute else "",
        "sections": sections,
    }


def _section(
    table: Table, charts: Sequence[Chart] = (), flags: Sequence[str] = (), *, caption: object = ""
) -> dict[str, Any]:
    """One part of the page: a table, its figures with what their signs mean, and what stands out in words."""
    return {
        "table": table.as_json(),
        "charts": [chart_json(chart) for chart in charts],
        "caption": str(caption),
        "flags": list(flags),
    }


def table_crossings(project: Project) -> Table:
    """Origins (meetings, articles) whose sources stand in more than one split, over the whole project."""
    found: Mapping[str, Any] = crossings(project=project, splits=Keep())
    rows = [[Cell(row["origin_id"]), Cell(", ".join(row["splits"]))] for row in found["listed"]]
    n = found["origins"]
    told = ngettext("%(n)d origin stands in more than one split.", "%(n)d origins stand in more than one split.", n)
    notes = [
        told % {"n": n} if n else _("No origin stands in more than one split."),
        _("All sources of the project, whatever the filter."),
    ]
    if n > len(rows):
        notes.append(_("The first %(n)d are listed.") % {"n": len(rows)})
    columns = [Column(_("Origin"), kind="text"), Column(_("Splits"), kind="text")]
    return Table("crossings", _("Origins that cross splits"), columns, rows, "", notes)
