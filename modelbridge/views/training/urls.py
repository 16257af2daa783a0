"""URLs of the pages of trainings."""

from django.urls import URLPattern, path

from modelbridge.views.training import groups, trainings

project_urls: list[URLPattern] = [
    path("trainings/", trainings.training_list, name="trainings"),
    path("trainings/grids/<uuid:public_id>/", groups.show_group, name="training-group"),
    path("trainings/<uuid:public_id>/", trainings.show_training, name="training"),
    path("trainings/<uuid:public_id>/state/", trainings.training_state, name="training-state"),
]
