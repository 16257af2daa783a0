"""URLs of the pages of inspection."""

from django.urls import URLPattern, path

from annotation.views.inspection import inspect_page, week_queue

project_urls: list[URLPattern] = [
    path("inspection/", week_queue.inspection_queue, name="inspection"),
    path("inspection/draw/", week_queue.draw_inspections, name="inspection-draw"),
    path("inspection/next/", week_queue.next_inspection, name="inspection-next"),
    path("inspection/week/", week_queue.annotator_week, name="inspection-week"),
    path("inspection/acceptance/", week_queue.acceptance_table, name="inspection-acceptance"),
    path("inspection/<uuid:public_id>/", inspect_page.inspect_summary, name="inspect"),
]
