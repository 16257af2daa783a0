"""What this app adds to the navigation, to the help and to the search; the apps above have the same module."""

from django.utils.translation import gettext_lazy

from annotation.models import Role
from annotation.services.core.access import ADMINS, MAKERS
from annotation.views.core.sections import OWN_PAGES, OwnPage, Tab, register_tabs
from annotation.views.help.chapters import register_chapters, register_pages
from annotation.views.search import project_rows  # noqa: F401  registers its kinds of hits

SOURCE_PAGES = ("document", "import", "import-check", "import-result", "sources-licence", "sources-priority", "select")
PRACTICE_PAGES = ("practice-choose", "practice-add", "practice-item")
PILOT_PAGES = ("pilot-choose", "pilot-add", "pilot-compare", "pilot-candidate")
PUBLICATION_PAGES = ("publication", "publication-hits", "publication-datasheet")
INSPECTION_PAGES = ("inspect", "inspection-week", "inspection-acceptance")
CROWD_PAGES = ("consent-edit", "crowd-studies", "crowd-study")

register_tabs(
    Tab("overview", 1, gettext_lazy("Overview"), "project"),
    Tab("overview", 2, gettext_lazy("Progress"), "progress"),
    Tab("data", 1, gettext_lazy("Sources"), "documents", below=SOURCE_PAGES),
    Tab("data", 2, gettext_lazy("Samples"), "samples", below=("draw", "undo-draw", "extract-tuples")),
    Tab("data", 3, gettext_lazy("Entities"), "entities", below=("entity", "entities-upload"), trait="has_instances"),
    Tab("data", 4, gettext_lazy("Summaries"), "annotations", noun=True),
    Tab("data", 5, gettext_lazy("Contrastives"), "contrastives", MAKERS, ("contrastives-import",), trait="summarizes"),
    Tab("people", 1, gettext_lazy("Members"), "members", ADMINS),
    Tab("people", 2, gettext_lazy("Invitations"), "invitations", ADMINS, ("invite-many",)),
    Tab("people", 3, gettext_lazy("Crowd links"), "crowd-links", ADMINS, CROWD_PAGES),
    Tab("people", 4, gettext_lazy("Withdrawals"), "withdrawals", ADMINS),
    Tab("people", 5, gettext_lazy("Questions"), "questions", below=("question",), waits="questions"),
    Tab("people", 6, gettext_lazy("Notes"), "notes", waits="notes"),
    Tab("people", 7, gettext_lazy("Practice"), "practice-setup", below=PRACTICE_PAGES, trait="summarizes"),
    Tab("people", 8, gettext_lazy("Pilot"), "pilot", below=PILOT_PAGES),
    Tab("people", 9, gettext_lazy("Ledger"), "ledger", MAKERS),
    Tab("people", 10, gettext_lazy("Steering"), "steering", MAKERS),
    Tab("quality", 1, gettext_lazy("Inspection"), "inspection", below=INSPECTION_PAGES, waits="resubmitted"),
    Tab("quality", 2, gettext_lazy("Overlap"), "overlap", below=("overlap-compare",)),
    Tab("quality", 3, gettext_lazy("Skips"), "skips"),
    Tab("results", 1, gettext_lazy("Statistics"), "statistics"),
    Tab("publish", 1, gettext_lazy("Export"), "export", MAKERS),
    Tab("publish", 2, gettext_lazy("Publications"), "publications", MAKERS, PUBLICATION_PAGES),
    Tab("settings", 1, gettext_lazy("Schema"), "schema", MAKERS),
    Tab("settings", 2, gettext_lazy("Guideline"), "project-guideline", MAKERS, ("affected",)),
    Tab("settings", 3, gettext_lazy("Settings"), "project-settings", ADMINS),
    Tab("settings", 4, gettext_lazy("Webhooks"), "webhooks", ADMINS, ("webhook",)),
    Tab("settings", 5, gettext_lazy("Audit log"), "audit", ADMINS),
    Tab("jobs", 1, gettext_lazy("Jobs"), "jobs", MAKERS, ("job",)),
)
OWN_PAGES.register(
    OwnPage(
        *(1, gettext_lazy("My work"), "work", Role.ANNOTATOR),
        enters=True,
        below=("task", "finished"),
        quiet=("task",),
        waits=("returned", "answers"),
    )
)
OWN_PAGES.register(OwnPage(2, gettext_lazy("Guideline"), "guideline", Role.ANNOTATOR))

register_chapters("roles", {1: "annotator", 3: "reviewer", 4: "researcher", 5: "admin"})
register_chapters("numbers", {8: "contrastive", 9: "tesa", 10: "metrics", 11: "languages", 12: "steering"})
register_chapters("numbers", {13: "differences"})
register_chapters("files", {0: "importing"})
register_chapters("files", {1: "export-format", 2: "publishing", 3: "api", 4: "client", 5: "webhooks", 6: "library"})
register_chapters("files", {7: "adding-an-attribute", 8: "adding-a-kind", 10: "adding-a-language"})
register_chapters("site", {1: "operations", 2: "security", 3: "performance", 5: "architecture"})

register_pages("annotator", "work", "task", "finished", "gate", "guideline", "ask", "task-notes", "practice")
register_pages("reviewer", "inspection", *INSPECTION_PAGES, "overlap", "overlap-compare", "annotations", "skips")
register_pages("reviewer", "questions", "question", "notes")
register_pages("researcher", "samples", "documents", "document", "select", "draw")
register_pages("contrastive", "contrastives", "contrastives-import")
register_pages("tesa", "entities", "entity", "entities-upload", "extract-tuples")
register_pages("metrics", "statistics")
register_pages("steering", "steering", "progress")
register_pages("export-format", "export")
register_pages("publishing", "publications", *PUBLICATION_PAGES)
register_pages("api", "tokens")
register_pages("webhooks", "webhooks", "webhook")
register_pages("adding-an-attribute", "schema")
