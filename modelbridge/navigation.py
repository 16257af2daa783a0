"""What this app adds to the navigation, to the help and to the search."""

from django.utils.translation import gettext_lazy

from annotation.services.core.access import MAKERS
from annotation.views.core.sections import Tab, register_tabs
from annotation.views.help.chapters import register_chapters, register_pages
from modelbridge.views.runs import run_search  # noqa: F401  registers its kind of hits

CCSBENCH = ("ccsbench",)

register_tabs(
    Tab(
        *("data", 6, gettext_lazy("Construction"), "construction", MAKERS, ("construction-pairs",)),
        presets=CCSBENCH,
    ),
    Tab("results", 2, gettext_lazy("Systems"), "systems", MAKERS, ("system", "system-new")),
    Tab("results", 3, gettext_lazy("Runs"), "runs", MAKERS, ("run", "run-upload")),
    Tab("results", 4, gettext_lazy("Training"), "trainings", MAKERS, ("training", "training-group")),
)

register_chapters("numbers", {4: "systems", 5: "training", 6: "gpu", 7: "ccsbench"})
register_chapters("numbers", {14: "refining"})
register_chapters("files", {9: "adding-a-system"})
register_chapters("site", {4: "controlled-extract"})

register_pages("systems", "systems", "system", "system-new", "runs", "run", "run-upload")
register_pages("training", "trainings", "training", "training-group")
register_pages("ccsbench", "construction", "construction-pairs")
