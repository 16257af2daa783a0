"""What this app adds to the navigation, to the help and to the search."""

from django.utils.translation import gettext_lazy

from annotation.models import Role
from annotation.services.core.access import MAKERS
from annotation.views.core.sections import OWN_PAGES, PAGES_BELOW, OwnPage, PageBelow, Tab, register_tabs
from annotation.views.help.chapters import register_chapters, register_pages
from evaluation.views.rounds import round_search  # noqa: F401  registers its kind of hits

CCSBENCH, TESA = ("ccsbench",), ("tesa",)
RATING_PAGES = ("item", "round-instructions", "round-qualification")
REPORT_PAGES = ("round-report", "round-report-links", "rounds-together", "round-disagreements", "round-examples")
TEMPLATE_PAGES = ("round-templates", "round-template-new", "round-template")
IMPORT_PAGES = ("round-import", "round-import-check")
ROUND_PAGES = (
    "round-new",
    "evaluation-start",
    "round",
    "round-unblind",
    *IMPORT_PAGES,
    "round-interim",
    *REPORT_PAGES,
    *TEMPLATE_PAGES,
)

register_tabs(
    Tab("results", 5, gettext_lazy("Tables"), "project-tables", MAKERS),
    Tab("results", 6, gettext_lazy("Cases"), "cases", MAKERS, ("case-new",)),
    Tab("results", 7, gettext_lazy("Answers"), "aggregation-report", presets=TESA),
    Tab("results", 8, gettext_lazy("Rankings"), "rankings", MAKERS, ("ranking-case",), presets=TESA),
    Tab("results", 9, gettext_lazy("Judge check"), "judge-check", below=("judge-check-label",), presets=CCSBENCH),
    Tab("results", 10, gettext_lazy("Rounds"), "rounds", MAKERS, ROUND_PAGES),
)
PAGES_BELOW.register(PageBelow("sample-outputs", "samples"))
for name in ("runs-compare", "run-changes", "contrastive-report"):
    PAGES_BELOW.register(PageBelow(name, "runs"))
OWN_PAGES.register(
    OwnPage(
        *(3, gettext_lazy("My rounds"), "rating", Role.RATER),
        enters=True,
        below=RATING_PAGES,
        quiet=("item",),
        waits=("rounds",),
    )
)

register_chapters("roles", {2: "rater"})
register_chapters("numbers", {1: "rounds", 2: "reports", 3: "combined"})

register_pages("rater", "rating", *RATING_PAGES)
register_pages("rounds", "rounds", "evaluation-new", "evaluation-check", "evaluation-start", "round-new", "round")
register_pages("rounds", *IMPORT_PAGES, "round-interim")
register_pages("reports", *REPORT_PAGES)
register_pages("systems", "runs-compare")
register_pages("ccsbench", "judge-check", "judge-check-label", "run-changes", "cases", "case-new")
register_pages("contrastive", "contrastive-report")
register_pages("tesa", "aggregation-report", "rankings", "ranking-case")
register_pages("metrics", "project-tables", "sample-outputs")
