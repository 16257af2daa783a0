"""URLs of the pages of a construction."""

from django.urls import URLPattern, path

from modelbridge.views.construction import construction

project_urls: list[URLPattern] = [
    path("construction/", construction.show_construction, name="construction"),
    path("construction/<slug:key>/pairs/", construction.show_pairs, name="construction-pairs"),
    path("construction/rewrites/<uuid:public_id>/verdict/", construction.judge_pair, name="rewrite-verdict"),
]
