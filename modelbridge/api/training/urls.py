"""URLs of the calls of trainings."""

from django.urls import URLPattern, path

from modelbridge.api.training import groups, trainings

PROJECT = "projects/<slug:slug>/"

urlpatterns: list[URLPattern] = [
    path(f"{PROJECT}trainings/", trainings.Trainings.as_view(), name="api-trainings"),
    path("trainings/<uuid:public_id>/", trainings.OneTraining.as_view(), name="api-training"),
    path("trainings/<uuid:public_id>/cancel/", trainings.TrainingCancel.as_view(), name="api-training-cancel"),
    path("trainings/<uuid:public_id>/resume/", trainings.TrainingResume.as_view(), name="api-training-resume"),
    path(f"{PROJECT}training-groups/", groups.TrainingGroups.as_view(), name="api-training-groups"),
    path("training-groups/<uuid:public_id>/", groups.OneTrainingGroup.as_view(), name="api-training-group"),
    path(
        "training-groups/<uuid:public_id>/cancel/",
        groups.TrainingGroupCancel.as_view(),
        name="api-training-group-cancel",
    ),
]
