"""URLs of the pages of the practice."""

from django.urls import URLPattern, path

from annotation.views.practice import items, try_page

project_urls: list[URLPattern] = [
    path("practice/", try_page.show_practice, name="practice"),
    path("practice/setup/", items.show_setup, name="practice-setup"),
    path("practice/choose/", items.choose_source, name="practice-choose"),
    path("practice/choose/<uuid:public_id>/", items.add_item, name="practice-add"),
    path("practice/items/<uuid:public_id>/", items.change_item, name="practice-item"),
]
