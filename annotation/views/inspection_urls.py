"""Inspection: the reviewers' pages, and what writers see of it."""

from django.urls import URLPattern, URLResolver, path

from annotation.views import finished, inspection, inspection_page

urlpatterns: list[URLPattern | URLResolver] = [
    path("p/<slug:slug>/inspection/", inspection.inspection, name="inspection"),
    path("p/<slug:slug>/inspection/draw/", inspection.draw, name="inspection-draw"),
    path("p/<slug:slug>/inspection/next/", inspection.next_inspection, name="inspection-next"),
    path("p/<slug:slug>/inspection/week/", inspection.week, name="inspection-week"),
    path("p/<slug:slug>/inspection/acceptance/", inspection.acceptance, name="inspection-acceptance"),
    path("p/<slug:slug>/inspection/<uuid:public_id>/", inspection_page.inspect, name="inspect"),
    path("tasks/<uuid:public_id>/finished/", finished.finished, name="finished"),
    path("tasks/<uuid:public_id>/revise/", finished.revise, name="revise"),
]
