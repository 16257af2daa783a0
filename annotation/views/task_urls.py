"""The annotator's pages."""

from django.urls import URLPattern, URLResolver, path

from annotation.views import guideline, task, work
from annotation.views.question_urls import urlpatterns as question_urls

urlpatterns: list[URLPattern | URLResolver] = [
    path("tasks/<uuid:public_id>/", task.show_task, name="task"),
    path("p/<slug:slug>/work/", work.my_work, name="work"),
    path("p/<slug:slug>/next/", work.next_task, name="next-task"),
    path("p/<slug:slug>/guideline/", guideline.show_guideline, name="guideline"),
    path("p/<slug:slug>/gate/", guideline.confirm_guideline, name="gate"),
    *question_urls,
]
