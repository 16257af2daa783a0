"""URLs of the pages of cases."""

from django.urls import URLPattern, path

from evaluation.views.cases import cases

project_urls: list[URLPattern] = [
    path("cases/", cases.show_cases, name="cases"),
    path("cases/file/", cases.download_cases, name="cases-file"),
    path("outputs/<uuid:public_id>/case/", cases.keep_case, name="case-new"),
]
