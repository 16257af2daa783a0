"""Modules that register job handlers, sweepers and other extensions; see annotation.extension_points."""

from evaluation.services.aggregations import funnel_report  # noqa: F401
from evaluation.services.cases import case_notes  # noqa: F401
from evaluation.services.example import finished, resetting  # noqa: F401
from evaluation.services.monitoring import extra_ratings, round_totals  # noqa: F401
from evaluation.services.overlap import agreement_extensions  # noqa: F401
from evaluation.services.rating import item_claims, model_judges  # noqa: F401
from evaluation.services.reports import (  # noqa: F401
    combined_rows,
    construction_tables,
    disagreement_counts,
    report_jobs,
    report_site,
    rounds_together,
)
from evaluation.services.rounds import contrastive_use, crowd_raters, round_access, sample_use  # noqa: F401
from evaluation.services.runs_compared import due_scores, score_jobs, table_jobs  # noqa: F401
from evaluation.services.withdrawal import listed_answers, round_texts  # noqa: F401
