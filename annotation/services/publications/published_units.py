"""The rows of a release that a publication is about: sources with the summaries that count."""

from collections.abc import Iterator
from typing import Any

from annotation.models import Project
from annotation.services.exports.dataset_reader import Unit, read_units
from annotation.services.exports.export_plan import Plan
from annotation.services.exports.export_selection import NOT_USED
from epitome.formats.macsum_out import keep_ids


def read_published_units(project: Project, plan: Plan) -> Iterator[Unit]:
    """Left out: skipped requests, summaries that do not count, damaged sources, and sources set aside that have no
    summary. Sources whose text may not be released come without it."""
    for unit in read_units(project=project, choice=plan.choice):
        lines = [line for line in unit.lines if not line["skipped"] and line["state"] not in NOT_USED]
        flags = unit.source["flags"]
        if flags["damaged"] or not (lines or flags["selected"]):
            continue
        unit.lines = lines
        yield unit


def withhold_text(unit: Unit) -> None:
    """Remove the source's text, its metadata but the ids, and the passages that quote it."""
    unit.source["segments"], unit.source["metadata"] = None, keep_ids(unit.source["metadata"])
    for line in unit.lines:
        for name in ("spans", "proposals"):
            if line.get(name):
                line[name] = [{key: span[key] for key in span if key != "quote"} for span in line[name]]


def lacks_licence(source: dict[str, Any]) -> bool:
    """Whether the text would be published although nobody named its licence."""
    return source["segments"] is not None and not source["licence"]
