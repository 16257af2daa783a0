"""URLs of the calls of systems."""

from django.urls import URLPattern, path

from modelbridge.api.systems import systems

PROJECT = "projects/<slug:slug>/"

urlpatterns: list[URLPattern] = [
    path(f"{PROJECT}systems/", systems.Systems.as_view(), name="api-systems"),
    path("systems/<uuid:public_id>/", systems.OneSystem.as_view(), name="api-system"),
]
