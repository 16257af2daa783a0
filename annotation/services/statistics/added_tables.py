"""Tables that other features add to the statistics of a project."""

from collections.abc import Callable, Sequence

from annotation.extension_points import ExtensionPoint, qualified_name
from annotation.jobs import Progress
from annotation.models import Project
from annotation.services.statistics.records import Record
from epitome.figures.tables import Table

BuildTable = Callable[[Sequence[Record]], Table]
"""The table of those records that pass a filter."""
PrepareTable = Callable[[Project, Sequence[Record], Progress], BuildTable | None]
"""Called once with all records of a project; reads what its tables need. None: no table for this project."""
TABLES = ExtensionPoint[PrepareTable]("tables of the statistics", key=qualified_name)


def prepare_tables(project: Project, records: Sequence[Record], progress: Progress) -> list[BuildTable]:
    builders = [prepare(project, records, progress) for prepare in TABLES]
    return [builder for builder in builders if builder is not None]
