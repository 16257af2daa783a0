"""URLs of the calls of withdrawals."""

from django.urls import URLPattern, path

from annotation.api.withdrawal import withdrawals

PROJECT = "projects/<slug:slug>/"

urlpatterns: list[URLPattern] = [
    path(f"{PROJECT}withdrawals/", withdrawals.Withdrawals.as_view(), name="api-withdrawals"),
    path(f"{PROJECT}withdrawals/preview/", withdrawals.WithdrawalPreview.as_view(), name="api-withdrawal-preview"),
]
