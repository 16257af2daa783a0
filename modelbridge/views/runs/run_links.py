"""Links from the pages of runs to pages of higher rooms, which register them."""

from collections.abc import Callable
from typing import NamedTuple

from annotation.extension_points import ExtensionPoint, qualified_name
from annotation.models import Project
from modelbridge.models import Run
from modelbridge.services.runs.run_progress import RunProgress


class RunLink(NamedTuple):
    """is_of_base: it is shown beside what the run works on, not at the head of its page. posts: a button that does
    something."""

    label: str
    url: str
    is_of_base: bool = False
    posts: bool = False


RUN_LINKS = ExtensionPoint[Callable[[Project, Run, RunProgress], list[RunLink]]]("links of a run", key=qualified_name)
RUN_LIST_LINKS = ExtensionPoint[Callable[[Project], RunLink]]("links of the list of runs", key=qualified_name)


def list_run_links(project: Project, run: Run, progress: RunProgress) -> list[RunLink]:
    return [link for list_links in RUN_LINKS for link in list_links(project, run, progress)]
