"""URLs of the pages of aggregation projects."""

from django.urls import URLPattern, path

from annotation.views.aggregations import entities, extraction

project_urls: list[URLPattern] = [
    path("samples/extract-tuples/", extraction.extract_instances, name="extract-tuples"),
    path("entities/", entities.entity_list, name="entities"),
    path("entities/upload/", entities.upload_backgrounds, name="entities-upload"),
    path("entities/<uuid:public_id>/", entities.edit_entity, name="entity"),
]
