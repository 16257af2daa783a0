"""Modules that register job handlers, sweepers and other extensions; see annotation.extension_points."""

from evaluation.services.cases import case_notes  # noqa: F401
from evaluation.services.example import finished, resetting  # noqa: F401
from evaluation.services.monitoring import round_totals  # noqa: F401
from evaluation.services.rating import item_claims, model_judges  # noqa: F401
from evaluation.services.reports import construction_tables, disagreement_counts, report_jobs  # noqa: F401
from evaluation.services.rounds import crowd_raters, round_access, sample_use  # noqa: F401
from evaluation.services.runs_compared import score_tables  # noqa: F401
from evaluation.services.withdrawal import round_texts  # noqa: F401
