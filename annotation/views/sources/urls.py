"""URLs of the pages of sources and imports."""

from django.urls import URLPattern, path

from annotation.views.sources import documents, imports, selection

project_urls: list[URLPattern] = [
    path("sources/", documents.source_list, name="documents"),
    path("sources/select/", selection.select_sources, name="select"),
    path("sources/<uuid:public_id>/", documents.show_source, name="document"),
    path("import/", imports.import_sources, name="import"),
]
