"""URLs of the calls of the practice."""

from django.urls import URLPattern, path

from annotation.api.practice import items, tries

PROJECT = "projects/<slug:slug>/"

urlpatterns: list[URLPattern] = [
    path(f"{PROJECT}practice/", tries.Practice.as_view(), name="api-practice"),
    path(f"{PROJECT}practice/tries/", tries.PracticeTries.as_view(), name="api-practice-tries"),
    path(f"{PROJECT}practice/setup/", items.PracticeSetup.as_view(), name="api-practice-setup"),
    path(f"{PROJECT}practice/items/", items.PracticeItems.as_view(), name="api-practice-items"),
    path("practice-items/<uuid:public_id>/", items.OnePracticeItem.as_view(), name="api-practice-item"),
    path(f"{PROJECT}practice/annotators/", items.PracticeAnnotators.as_view(), name="api-practice-annotators"),
]
