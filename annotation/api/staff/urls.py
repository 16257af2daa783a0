"""URLs of the calls of the dashboard, skips, the ledger and bulk actions."""

from django.urls import URLPattern, path

from annotation.api.staff import annotations, bulk_actions, reannotation

PROJECT = "projects/<slug:slug>/"

urlpatterns: list[URLPattern] = [
    path(f"{PROJECT}annotations/", annotations.Annotations.as_view(), name="api-annotations"),
    path("annotations/<uuid:public_id>/", annotations.OneAnnotation.as_view(), name="api-annotation"),
    path(f"{PROJECT}guideline/affected/", reannotation.Affected.as_view(), name="api-affected"),
    path(f"{PROJECT}steering/", bulk_actions.Steering.as_view(), name="api-steering"),
    path(f"{PROJECT}steering/preview/", bulk_actions.SteeringPreview.as_view(), name="api-steering-preview"),
    path("steering/<uuid:public_id>/undo/", bulk_actions.SteeringUndo.as_view(), name="api-steering-undo"),
    path(f"{PROJECT}freeze/", bulk_actions.Freeze.as_view(), name="api-freeze"),
]
