"""URLs of the annotator's calls, under /api/v1/."""

from django.urls import path

from annotation.api import scores, tasks

urlpatterns = [
    path("projects/<slug:slug>/assignments/claim/", tasks.Claim.as_view(), name="api-claim"),
    path("assignments/<uuid:public_id>/", tasks.Task.as_view(), name="api-task"),
    path("assignments/<uuid:public_id>/choose/", tasks.Choose.as_view(), name="api-choose"),
    path("assignments/<uuid:public_id>/draft/", tasks.Draft.as_view(), name="api-draft"),
    path("assignments/<uuid:public_id>/submit/", tasks.Submit.as_view(), name="api-submit"),
    path("assignments/<uuid:public_id>/skip/", tasks.Skip.as_view(), name="api-skip"),
    path("assignments/<uuid:public_id>/heartbeat/", tasks.Heartbeat.as_view(), name="api-heartbeat"),
    path("assignments/<uuid:public_id>/release/", tasks.Release.as_view(), name="api-release"),
    path("assignments/<uuid:public_id>/meters/", scores.Meters.as_view(), name="api-meters"),
    path("assignments/<uuid:public_id>/meters/<uuid:job>/", scores.Meter.as_view(), name="api-meter"),
]
