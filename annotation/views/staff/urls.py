"""URLs of the pages of the dashboard, skips, the ledger and bulk actions."""

from django.urls import URLPattern, path

from annotation.views.staff import annotations, dashboard, reannotation, work_control

project_urls: list[URLPattern] = [
    path("", dashboard.dashboard_page, name="project"),
    path("annotations/", annotations.annotation_list, name="annotations"),
    path("skips/", work_control.skip_list, name="skips"),
    path("ledger/", work_control.show_ledger, name="ledger"),
    path("ledger/file/", work_control.download_ledger, name="ledger-file"),
    path("steering/", work_control.steering_page, name="steering"),
    path("guideline/affected/", reannotation.affected_list, name="affected"),
]
