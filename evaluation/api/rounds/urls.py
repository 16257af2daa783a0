"""URLs of the calls of rounds."""

from django.urls import URLPattern, path

from evaluation.api.rounds import outside_answers, rounds, templates

PROJECT = "projects/<slug:slug>/"
ROUND = "rounds/<uuid:public_id>/"

urlpatterns: list[URLPattern] = [
    path(f"{PROJECT}rounds/", rounds.Rounds.as_view(), name="api-rounds"),
    path(f"{PROJECT}rounds/check/", rounds.RoundCheck.as_view(), name="api-round-check"),
    path(f"{PROJECT}round-templates/", templates.RoundTemplates.as_view(), name="api-round-templates"),
    path(f"{PROJECT}round-templates/check/", templates.RoundTemplateCheck.as_view(), name="api-round-template-check"),
    path(f"{PROJECT}round-presets/", templates.RoundPresets.as_view(), name="api-round-presets"),
    path("round-templates/<uuid:public_id>/", templates.OneRoundTemplate.as_view(), name="api-round-template"),
    path(ROUND, rounds.OneRound.as_view(), name="api-round"),
    path(f"{ROUND}launch/", rounds.RoundLaunch.as_view(), name="api-round-launch"),
    path(f"{ROUND}state/", rounds.RoundState.as_view(), name="api-round-state"),
    path(f"{ROUND}extra-ratings/", rounds.RoundExtraRatings.as_view(), name="api-round-extra-ratings"),
    path(f"{ROUND}raters/", rounds.RoundRaters.as_view(), name="api-round-raters"),
    path(f"{ROUND}raters/resume/", rounds.RoundRaterResumption.as_view(), name="api-round-rater-resume"),
    path(f"{ROUND}clearances/", rounds.RoundClearances.as_view(), name="api-round-clearances"),
    path(f"{ROUND}outside-answers/", outside_answers.RoundOutsideAnswers.as_view(), name="api-round-outside"),
    path(
        f"{ROUND}outside-answers/remove/",
        outside_answers.RoundOutsideRemoval.as_view(),
        name="api-round-outside-remove",
    ),
    path(f"{ROUND}judgements/", rounds.RoundJudgements.as_view(), name="api-round-judgements"),
]
