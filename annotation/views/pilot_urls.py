"""URLs of the pilot and of the comparison of overlapping summaries."""

from django.urls import URLPattern, URLResolver, path

from annotation.views import overlap, pilot

urlpatterns: list[URLPattern | URLResolver] = [
    path("p/<slug:slug>/pilot/", pilot.show_pilot, name="pilot"),
    path("p/<slug:slug>/pilot/choose/", pilot.choose_samples, name="pilot-choose"),
    path("p/<slug:slug>/pilot/choose/<uuid:public_id>/", pilot.add_sample, name="pilot-add"),
    path("p/<slug:slug>/pilot/samples/<uuid:public_id>/", pilot.compare_answers, name="pilot-compare"),
    path("p/<slug:slug>/pilot/candidates/<uuid:public_id>/", pilot.show_candidate, name="pilot-candidate"),
    path("p/<slug:slug>/overlap/", overlap.overlap_list, name="overlap"),
    path("p/<slug:slug>/overlap/<uuid:public_id>/", overlap.compare_summaries, name="overlap-compare"),
]
