"""URLs of the calls that check judges by hand."""

from django.urls import URLPattern, path

from evaluation.api.judge_checks import judge_checks

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/judge-check/", judge_checks.ProjectJudgeCheck.as_view(), name="api-project-judge-check"),
    path("judge-checks/<uuid:public_id>/", judge_checks.OneJudgeCheck.as_view(), name="api-judge-check"),
]
