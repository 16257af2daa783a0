"""URLs of the pages of samples, candidates and draws."""

from django.urls import URLPattern, path

from annotation.views.sampling import draws, samples

project_urls: list[URLPattern] = [
    path("samples/", samples.sample_list, name="samples"),
    path("samples/draw/", draws.draw_samples, name="draw"),
    path("samples/draws/<uuid:public_id>/undo/", draws.undo_draw, name="undo-draw"),
    path("samples/extract/", samples.extract_candidates, name="extract"),
]
