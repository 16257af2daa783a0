"""The pilot, and the comparison of overlapping summaries."""

from django.urls import URLPattern, URLResolver, path

from annotation.views import overlap, pilot

urlpatterns: list[URLPattern | URLResolver] = [
    path("p/<slug:slug>/pilot/", pilot.the_pilot, name="pilot"),
    path("p/<slug:slug>/pilot/choose/", pilot.choose, name="pilot-choose"),
    path("p/<slug:slug>/pilot/choose/<uuid:public_id>/", pilot.add, name="pilot-add"),
    path("p/<slug:slug>/pilot/samples/<uuid:public_id>/", pilot.compare, name="pilot-compare"),
    path("p/<slug:slug>/pilot/candidates/<uuid:public_id>/", pilot.candidate, name="pilot-candidate"),
    path("p/<slug:slug>/overlap/", overlap.overlaps, name="overlap"),
    path("p/<slug:slug>/overlap/<uuid:public_id>/", overlap.compare, name="overlap-compare"),
]
