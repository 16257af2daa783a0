"""URLs of the calls of rating."""

from django.urls import URLPattern, path

from evaluation.api.rating import rating

ROUND = "rounds/<uuid:public_id>/"
ITEM = "items/<uuid:public_id>/"

urlpatterns: list[URLPattern] = [
    path("rating/", rating.OwnRounds.as_view(), name="api-rating"),
    path(f"{ROUND}instructions/", rating.Instructions.as_view(), name="api-round-instructions"),
    path(f"{ROUND}qualification/", rating.Qualification.as_view(), name="api-round-qualification"),
    path(f"{ROUND}items/claim/", rating.ClaimItem.as_view(), name="api-item-claim"),
    path(ITEM, rating.OneItem.as_view(), name="api-item"),
    path(f"{ITEM}judgements/", rating.ItemJudgements.as_view(), name="api-item-judgements"),
    path(f"{ITEM}seen/", rating.ItemSeen.as_view(), name="api-item-seen"),
    path(f"{ITEM}release/", rating.ItemRelease.as_view(), name="api-item-release"),
]
