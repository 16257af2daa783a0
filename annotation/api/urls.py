"""URLs of the API under /api/v1/. The access table of tests/api lists every name here; a missing one fails it."""

from django.urls import URLPattern, URLResolver, path

from annotation.api import (
    annotations,
    documents,
    exports,
    gate,
    imports,
    inspections,
    jobs,
    members,
    projects,
    questions,
    reannotation,
    samples,
    scores,
    statistics,
    tokens,
    versions,
)
from annotation.api.joining_urls import urlpatterns as joining_urls
from annotation.api.pilots_urls import urlpatterns as pilot_urls
from annotation.api.tasks_urls import urlpatterns as task_urls

PROJECT = "projects/<slug:slug>/"

urlpatterns: list[URLPattern | URLResolver] = [
    path("projects/", projects.Projects.as_view(), name="api-projects"),
    path(PROJECT, projects.OneProject.as_view(), name="api-project"),
    path(f"{PROJECT}schema/", versions.Schema.as_view(), name="api-project-schema"),
    path(f"{PROJECT}guideline/", versions.Guideline.as_view(), name="api-guideline"),
    path(f"{PROJECT}gate/", gate.Gate.as_view(), name="api-gate"),
    path(f"{PROJECT}documents/", documents.Documents.as_view(), name="api-documents"),
    path("documents/<uuid:public_id>/", documents.OneDocument.as_view(), name="api-document"),
    path("documents/<uuid:public_id>/damage/", documents.DocumentFlag.as_view(), name="api-document-damage"),
    path(f"{PROJECT}imports/", imports.Imports.as_view(), name="api-imports"),
    path(f"{PROJECT}selections/", documents.Selections.as_view(), name="api-selections"),
    path(f"{PROJECT}candidates/", samples.Candidates.as_view(), name="api-candidates"),
    path(f"{PROJECT}samples/", samples.Samples.as_view(), name="api-samples"),
    path(f"{PROJECT}samples/dry-run/", samples.SamplesDryRun.as_view(), name="api-samples-dry-run"),
    path(f"{PROJECT}annotations/", annotations.Annotations.as_view(), name="api-annotations"),
    path("annotations/<uuid:public_id>/", annotations.OneAnnotation.as_view(), name="api-annotation"),
    path("annotations/<uuid:public_id>/scores/", scores.AnnotationScores.as_view(), name="api-annotation-scores"),
    path(
        "annotations/<uuid:public_id>/inspections/",
        inspections.AnnotationInspections.as_view(),
        name="api-annotation-inspections",
    ),
    path(f"{PROJECT}inspections/", inspections.Inspections.as_view(), name="api-inspections"),
    path(f"{PROJECT}scores/", scores.ProjectScores.as_view(), name="api-scores"),
    path(f"{PROJECT}statistics/", statistics.Statistics.as_view(), name="api-statistics"),
    path(f"{PROJECT}export/", exports.Export.as_view(), name="api-export"),
    path(f"{PROJECT}exports/", exports.Exports.as_view(), name="api-exports"),
    path(f"{PROJECT}releases/", exports.Releases.as_view(), name="api-releases"),
    path(f"{PROJECT}jobs/", jobs.Jobs.as_view(), name="api-jobs"),
    path("jobs/<uuid:public_id>/", jobs.OneJob.as_view(), name="api-job"),
    path("jobs/<uuid:public_id>/download/", jobs.JobFile.as_view(), name="api-job-download"),
    path(f"{PROJECT}members/", members.Members.as_view(), name="api-members"),
    path(f"{PROJECT}members/remove/", members.MemberRemoval.as_view(), name="api-member-removal"),
    path("tokens/", tokens.Tokens.as_view(), name="api-tokens"),
    path("tokens/<uuid:public_id>/", tokens.OneToken.as_view(), name="api-token"),
    path("assignments/<uuid:public_id>/questions/", questions.TaskQuestions.as_view(), name="api-task-questions"),
    path(f"{PROJECT}questions/", questions.Questions.as_view(), name="api-questions"),
    path("questions/<uuid:public_id>/answer/", questions.Answer.as_view(), name="api-answer"),
    path(f"{PROJECT}guideline/affected/", reannotation.Affected.as_view(), name="api-affected"),
    path(f"{PROJECT}rulings/", questions.Rulings.as_view(), name="api-rulings"),
    *pilot_urls,
    *joining_urls,
    *task_urls,
]
