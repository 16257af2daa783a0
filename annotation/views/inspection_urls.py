"""URLs of the reviewers' inspection pages and the annotators' finished summaries."""

from django.urls import URLPattern, URLResolver, path

from annotation.views import finished, inspection, inspection_page

urlpatterns: list[URLPattern | URLResolver] = [
    path("p/<slug:slug>/inspection/", inspection.inspection_queue, name="inspection"),
    path("p/<slug:slug>/inspection/draw/", inspection.draw_inspections, name="inspection-draw"),
    path("p/<slug:slug>/inspection/next/", inspection.next_inspection, name="inspection-next"),
    path("p/<slug:slug>/inspection/week/", inspection.annotator_week, name="inspection-week"),
    path("p/<slug:slug>/inspection/acceptance/", inspection.acceptance_table, name="inspection-acceptance"),
    path("p/<slug:slug>/inspection/<uuid:public_id>/", inspection_page.inspect_summary, name="inspect"),
    path("tasks/<uuid:public_id>/finished/", finished.finished_task, name="finished"),
    path("tasks/<uuid:public_id>/revise/", finished.revise_summary, name="revise"),
]
