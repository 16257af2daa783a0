"""The table of scores on a run's page, which a higher room renders: comparing is not this app's job."""

from collections.abc import Callable

from annotation.extension_points import ExtensionPoint, qualified_name
from annotation.figures.table_rendering import RenderedTable
from annotation.models import Project
from modelbridge.models import Run

MAX_TEXTS = 20_000
"""Maximum outputs for which a page computes the table; for more, run `measure` on the exported file."""

RUN_TABLES = ExtensionPoint[Callable[[Project, Run], RenderedTable]]("run tables", key=qualified_name)
