"""All URLs: pages, the API and its OpenAPI document."""

from django.urls import include, path

from annotation.api.core.not_found import NoSuchCall
from annotation.api.core.openapi import SchemaDocument

urlpatterns = [
    path("api/schema/", SchemaDocument.as_view(), name="api-schema"),
    path("api/v1/", include("annotation.api.urls")),
    path("api/v1/", include("evaluation.api.urls")),
    path("api/v1/", include("modelbridge.api.urls")),
    path("api/<path:path>", NoSuchCall.as_view(), name="api-unknown"),
    path("", include("annotation.urls")),
    path("", include("evaluation.urls")),
    path("", include("modelbridge.urls")),
]

handler400 = "annotation.views.core.errors.bad_request"
handler403 = "annotation.views.core.errors.permission_denied"
handler404 = "annotation.views.core.errors.not_found"
handler500 = "annotation.views.core.errors.server_error"
