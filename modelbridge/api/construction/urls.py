"""URLs of the calls of a construction."""

from django.urls import URLPattern, path

from modelbridge.api.construction import construction

PROJECT = "projects/<slug:slug>/construction/"

urlpatterns: list[URLPattern] = [
    path(PROJECT, construction.Construction.as_view(), name="api-construction"),
    path(f"{PROJECT}stop/", construction.ConstructionStop.as_view(), name="api-construction-stop"),
    path(f"{PROJECT}rewrites/", construction.Rewrites.as_view(), name="api-rewrites"),
    path("rewrites/<uuid:public_id>/verdict/", construction.RewriteVerdicts.as_view(), name="api-rewrite-verdict"),
]
