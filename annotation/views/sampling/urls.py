"""URLs of the pages of samples and candidates."""

from django.urls import URLPattern, path

from annotation.views.sampling import samples

project_urls: list[URLPattern] = [
    path("samples/", samples.sample_list, name="samples"),
    path("samples/draw/", samples.draw_samples, name="draw"),
    path("samples/extract/", samples.extract_candidates, name="extract"),
]
