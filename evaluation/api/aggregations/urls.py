"""URLs of the calls about aggregations and rankings."""

from django.urls import URLPattern, path

from evaluation.api.aggregations import rankings

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/aggregation-report/", rankings.Funnel.as_view(), name="api-aggregation-report"),
    path("projects/<slug:slug>/ranking-lists/", rankings.ReleaseLists.as_view(), name="api-ranking-lists"),
    path("projects/<slug:slug>/rankings/", rankings.RankTables.as_view(), name="api-rankings"),
]
