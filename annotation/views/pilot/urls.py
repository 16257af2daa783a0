"""URLs of the pages of the pilot."""

from django.urls import URLPattern, path

from annotation.views.pilot import pilot

project_urls: list[URLPattern] = [
    path("pilot/", pilot.show_pilot, name="pilot"),
    path("pilot/choose/", pilot.choose_samples, name="pilot-choose"),
    path("pilot/choose/<uuid:public_id>/", pilot.add_sample, name="pilot-add"),
    path("pilot/samples/<uuid:public_id>/", pilot.compare_answers, name="pilot-compare"),
    path("pilot/candidates/<uuid:public_id>/", pilot.show_candidate, name="pilot-candidate"),
]
