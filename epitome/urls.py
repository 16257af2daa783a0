"""All URLs: pages, the API and its OpenAPI document."""

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView

urlpatterns = [
    path("api/schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path("api/v1/", include("annotation.api.urls")),
    path("", include("annotation.urls")),
]

handler400 = "annotation.views.errors.bad_request"
handler403 = "annotation.views.errors.forbidden"
handler404 = "annotation.views.errors.not_found"
handler500 = "annotation.views.errors.server_error"
