"""URLs of the pages about aggregations: the funnel, ranking lists, and runs that rank them."""

from django.urls import URLPattern, path

from evaluation.views.aggregations import funnel, rankings

project_urls: list[URLPattern] = [
    path("aggregation-report/", funnel.show_funnel, name="aggregation-report"),
    path("aggregation-report/file/", funnel.download_funnel, name="aggregation-report-file"),
    path("rankings/", rankings.show_rankings, name="rankings"),
    path("rankings/file/", rankings.download_rankings, name="rankings-file"),
    path("rankings/<str:tag>/lists/", rankings.download_lists, name="ranking-lists-file"),
    path("rankings/<str:tag>/<uuid:sample>/", rankings.show_case, name="ranking-case"),
]
