"""The sections of the navigation with their tabs, and who sees them."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from annotation.models import Role
from annotation.services.core import access


@dataclass(frozen=True, eq=False)
class Tab:
    """A page in a section. roles: who sees it. below: URL names of the pages that belong to it. waits: the kind of
    its badge. noun: in a project its label is what the project's kind calls finished tasks. presets: only projects
    that began with one of these schemas have it; empty: all. trait: only projects whose kind of task declares it."""

    label: Promise
    name: str
    roles: tuple[Role, ...] = access.STAFF
    below: tuple[str, ...] = ()
    waits: str = ""
    noun: bool = False
    presets: tuple[str, ...] = ()
    trait: str = ""


@dataclass(frozen=True, eq=False)
class Section:
    """An entry of the main navigation with its tabs; it leads to the first one that the person may see."""

    label: Promise
    tabs: tuple[Tab, ...]


ADMINS = (Role.ADMIN,)
SECTIONS = (
    Section(
        gettext_lazy("Overview"),
        (Tab(gettext_lazy("Overview"), "project"), Tab(gettext_lazy("Progress"), "progress")),
    ),
    Section(
        gettext_lazy("Data"),
        (
            Tab(
                gettext_lazy("Sources"),
                "documents",
                below=(
                    "document",
                    "import",
                    "import-check",
                    "import-result",
                    "sources-licence",
                    "sources-priority",
                    "select",
                ),
            ),
            Tab(gettext_lazy("Samples"), "samples", below=("sample-outputs", "draw", "undo-draw", "extract-tuples")),
            Tab(
                gettext_lazy("Entities"),
                "entities",
                below=("entity", "entities-upload"),
                trait="has_instances",
            ),
            Tab(gettext_lazy("Summaries"), "annotations", noun=True),
            Tab(
                gettext_lazy("Contrastives"),
                "contrastives",
                access.MAKERS,
                ("contrastives-import",),
                trait="summarizes",
            ),
            Tab(
                gettext_lazy("Construction"),
                "construction",
                access.MAKERS,
                ("construction-pairs",),
                presets=("ccsbench",),
            ),
        ),
    ),
    Section(
        gettext_lazy("People"),
        (
            Tab(gettext_lazy("Members"), "members", ADMINS),
            Tab(gettext_lazy("Invitations"), "invitations", ADMINS, ("invite-many",)),
            Tab(gettext_lazy("Crowd links"), "crowd-links", ADMINS, ("consent-edit", "crowd-studies", "crowd-study")),
            Tab(gettext_lazy("Withdrawals"), "withdrawals", ADMINS),
            Tab(gettext_lazy("Questions"), "questions", below=("question",), waits="questions"),
            Tab(gettext_lazy("Notes"), "notes", waits="notes"),
            Tab(
                gettext_lazy("Practice"),
                "practice-setup",
                below=("practice-choose", "practice-add", "practice-item"),
                trait="summarizes",
            ),
            Tab(
                gettext_lazy("Pilot"), "pilot", below=("pilot-choose", "pilot-add", "pilot-compare", "pilot-candidate")
            ),
            Tab(gettext_lazy("Ledger"), "ledger", access.MAKERS),
            Tab(gettext_lazy("Steering"), "steering", access.MAKERS),
        ),
    ),
    Section(
        gettext_lazy("Quality"),
        (
            Tab(
                gettext_lazy("Inspection"),
                "inspection",
                below=("inspect", "inspection-week", "inspection-acceptance"),
                waits="resubmitted",
            ),
            Tab(gettext_lazy("Overlap"), "overlap", below=("overlap-compare",)),
            Tab(gettext_lazy("Skips"), "skips"),
        ),
    ),
    Section(
        gettext_lazy("Results"),
        (
            Tab(gettext_lazy("Statistics"), "statistics"),
            Tab(gettext_lazy("Systems"), "systems", access.MAKERS, ("system", "system-new")),
            Tab(
                gettext_lazy("Runs"),
                "runs",
                access.MAKERS,
                ("run", "run-upload", "runs-compare", "run-changes", "contrastive-report"),
            ),
            Tab(gettext_lazy("Training"), "trainings", access.MAKERS, ("training", "training-group")),
            Tab(gettext_lazy("Tables"), "project-tables", access.MAKERS),
            Tab(gettext_lazy("Cases"), "cases", access.MAKERS, ("case-new",)),
            Tab(gettext_lazy("Answers"), "aggregation-report", presets=("tesa",)),
            Tab(gettext_lazy("Rankings"), "rankings", access.MAKERS, ("ranking-case",), presets=("tesa",)),
            Tab(gettext_lazy("Judge check"), "judge-check", below=("judge-check-label",), presets=("ccsbench",)),
            Tab(
                gettext_lazy("Rounds"),
                "rounds",
                access.MAKERS,
                (
                    *("round-new", "round", "round-unblind", "round-report", "round-examples", "round-disagreements"),
                    *("round-templates", "round-template-new", "round-template", "round-interim"),
                    *("round-report-links", "rounds-together"),
                ),
            ),
        ),
    ),
    Section(
        gettext_lazy("Publish"),
        (
            Tab(gettext_lazy("Export"), "export", access.MAKERS),
            Tab(
                gettext_lazy("Publications"),
                "publications",
                access.MAKERS,
                ("publication", "publication-hits", "publication-datasheet"),
            ),
        ),
    ),
)
SETTINGS = Section(
    gettext_lazy("Settings"),
    (
        Tab(gettext_lazy("Schema"), "schema", access.MAKERS),
        Tab(gettext_lazy("Guideline"), "project-guideline", access.MAKERS, ("affected",)),
        Tab(gettext_lazy("Settings"), "project-settings", ADMINS),
        Tab(gettext_lazy("Webhooks"), "webhooks", ADMINS, ("webhook",)),
        Tab(gettext_lazy("Audit log"), "audit", ADMINS),
    ),
)
JOBS = Section(gettext_lazy("Jobs"), (Tab(gettext_lazy("Jobs"), "jobs", access.MAKERS, ("job",)),))
