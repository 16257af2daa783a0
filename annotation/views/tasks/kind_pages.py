"""The task page of each kind of task: its template, its parts, its script and what it shows of a subject."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.views.tasks import aggregation_sheet


@dataclass(frozen=True)
class KindPage:
    """template: the page. part_prefix: path and beginning of the names of its parts (source, head, panel, dialogs).
    script: in static/js. has_steps: whether it consists of steps that stay when the next task of the same source takes
    its place. build_subject: the view model of what the task is about beside its source, from the task's payload and
    the segments. script_words: sentences of the script's own, from that view model."""

    template: str = "annotation/tasks/task.html"
    part_prefix: str = "annotation/tasks/_task_"
    script: str = "task"
    has_steps: bool = True
    build_subject: Callable[[dict[str, Any], list[dict[str, str]]], Any] | None = None
    script_words: Callable[[Any], Mapping[str, Any]] | None = None


KIND_PAGES = {
    "summary": KindPage(),
    "choosing": KindPage("annotation/tasks/task_choosing.html"),
    "aggregation": KindPage(
        "annotation/tasks/task_aggregation.html",
        "annotation/tasks/_aggregation_",
        "aggregation-task",
        has_steps=False,
        build_subject=aggregation_sheet.build_aggregation,
        script_words=aggregation_sheet.script_words,
    ),
}


def find_kind_page(kind: str) -> KindPage:
    """The page of a kind of task; that of summaries for a kind without a page of its own."""
    return KIND_PAGES.get(kind, KIND_PAGES["summary"])
