"""API URLs of rounds and items, under /api/v1/. Every name here must be listed in the access table of tests/api."""

from django.urls import URLPattern, path

from evaluation.api import rating, reports, rounds

PROJECT = "projects/<slug:slug>/"
ROUND = "rounds/<uuid:public_id>/"
ITEM = "items/<uuid:public_id>/"

urlpatterns: list[URLPattern] = [
    path(f"{PROJECT}rounds/", rounds.Rounds.as_view(), name="api-rounds"),
    path(f"{PROJECT}rounds/check/", rounds.RoundCheck.as_view(), name="api-round-check"),
    path(ROUND, rounds.OneRound.as_view(), name="api-round"),
    path(f"{ROUND}launch/", rounds.RoundLaunch.as_view(), name="api-round-launch"),
    path(f"{ROUND}state/", rounds.RoundState.as_view(), name="api-round-state"),
    path(f"{ROUND}raters/", rounds.RoundRaters.as_view(), name="api-round-raters"),
    path(f"{ROUND}clearances/", rounds.RoundClearances.as_view(), name="api-round-clearances"),
    path(f"{ROUND}judgements/", rounds.RoundJudgements.as_view(), name="api-round-judgements"),
    path(f"{ROUND}report/", reports.RoundReport.as_view(), name="api-round-report"),
    path(f"{ROUND}judges/", reports.RoundJudge.as_view(), name="api-round-judge"),
    path("rating/", rating.OwnRounds.as_view(), name="api-rating"),
    path(f"{ROUND}instructions/", rating.Instructions.as_view(), name="api-round-instructions"),
    path(f"{ROUND}qualification/", rating.Qualification.as_view(), name="api-round-qualification"),
    path(f"{ROUND}items/claim/", rating.ClaimItem.as_view(), name="api-item-claim"),
    path(ITEM, rating.OneItem.as_view(), name="api-item"),
    path(f"{ITEM}judgements/", rating.ItemJudgements.as_view(), name="api-item-judgements"),
    path(f"{ITEM}seen/", rating.ItemSeen.as_view(), name="api-item-seen"),
    path(f"{ITEM}release/", rating.ItemRelease.as_view(), name="api-item-release"),
]
