"""URLs of the pages of withdrawals."""

from django.urls import URLPattern, path

from annotation.views.withdrawal import withdrawals

project_urls: list[URLPattern] = [
    path("members/withdrawals/", withdrawals.manage_withdrawals, name="withdrawals"),
]
