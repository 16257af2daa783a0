"""The table of scores on a run's page, which a higher room computes and stores: comparing is not this app's job."""

from collections.abc import Callable
from dataclasses import dataclass

from annotation.extension_points import ExtensionPoint, qualified_name
from annotation.models import Job, Project
from epitome.figures.table_rendering import RenderedTable
from modelbridge.models import Run

MAX_TEXTS = 20_000
"""Maximum outputs for which a page has the table; for more, run `measure` on the exported file."""


@dataclass(frozen=True)
class StoredTable:
    """What is stored of a table that a job computes. rendered: the newest one, None before the first. is_current:
    nothing has changed since. job: it waits or runs; where texts are still to be measured, the job that does. starts:
    whether the page should start it without being asked. start_url: the address that starts it."""

    rendered: RenderedTable | None = None
    is_current: bool = False
    job: Job | None = None
    starts: bool = False
    start_url: str = ""


RUN_TABLES = ExtensionPoint[Callable[[Project, Run], StoredTable]]("run tables", key=qualified_name)
