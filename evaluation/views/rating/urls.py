"""URLs of the pages of rating."""

from django.urls import URLPattern, path

from evaluation.views.rating import rating

project_urls: list[URLPattern] = [
    path("rating/", rating.my_rounds, name="rating"),
]

urlpatterns: list[URLPattern] = [
    path("rating/<uuid:public_id>/instructions/", rating.show_instructions, name="round-instructions"),
    path("rating/<uuid:public_id>/qualification/", rating.show_qualification, name="round-qualification"),
    path("rating/<uuid:public_id>/next/", rating.next_item, name="next-item"),
    path("items/<uuid:public_id>/", rating.show_item, name="item"),
]
