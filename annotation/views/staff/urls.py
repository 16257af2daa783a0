"""URLs of the pages of the dashboard, skips, the ledger and bulk actions."""

from django.urls import URLPattern, path

from annotation.views.staff import (
    annotations,
    bulk_actions,
    checklist,
    dashboard,
    ledger,
    progress,
    reannotation,
    skipped_samples,
)

project_urls: list[URLPattern] = [
    path("", dashboard.dashboard_page, name="project"),
    path("steps/", checklist.change_step, name="change-step"),
    path("progress/", progress.progress_page, name="progress"),
    path("annotations/", annotations.annotation_list, name="annotations"),
    path("skips/", skipped_samples.skip_list, name="skips"),
    path("ledger/", ledger.show_ledger, name="ledger"),
    path("ledger/file/", ledger.download_ledger, name="ledger-file"),
    path("steering/", bulk_actions.steering_page, name="steering"),
    path("guideline/affected/", reannotation.affected_list, name="affected"),
]
