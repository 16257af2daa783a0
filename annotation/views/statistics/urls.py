"""URLs of the pages of the statistics."""

from django.urls import URLPattern, path

from annotation.views.statistics import statistics

project_urls: list[URLPattern] = [
    path("statistics/", statistics.statistics_page, name="statistics"),
    path("statistics/start/", statistics.start_statistics, name="statistics-start"),
    path("statistics/file/", statistics.download_table, name="statistics-file"),
]
