"""URLs of the pages that compare runs with each other and with people."""

from django.urls import URLPattern, path

from evaluation.views.runs_compared import (  # noqa: F401  for what they register
    comparison_links,
    comparison_page,
    paper_tables,
    sample_outputs,
)

project_urls: list[URLPattern] = [
    path("tables/", paper_tables.show_tables, name="project-tables"),
    path("tables/file/", paper_tables.download_tables, name="project-tables-file"),
    path("runs/compare/", comparison_page.compare_runs, name="runs-compare"),
    path("runs/scores/", comparison_page.start_scores, name="runs-scores"),
    path("samples/<uuid:public_id>/outputs/", sample_outputs.sample_outputs, name="sample-outputs"),
]
