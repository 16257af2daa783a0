"""URLs of the calls of publications."""

from django.urls import URLPattern, path

from annotation.api.publications import publications

ONE = "publications/<uuid:public_id>/"

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/publications/", publications.Publications.as_view(), name="api-publications"),
    path(ONE, publications.OnePublication.as_view(), name="api-publication"),
    path(f"{ONE}check/", publications.PublicationCheck.as_view(), name="api-publication-check"),
    path(f"{ONE}hits/", publications.PublicationHits.as_view(), name="api-publication-hits"),
    path(f"{ONE}write/", publications.PublicationWriting.as_view(), name="api-publication-write"),
    path(f"{ONE}upload/", publications.PublicationUpload.as_view(), name="api-publication-upload"),
]
