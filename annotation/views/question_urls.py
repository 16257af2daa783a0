"""Questions: asked from a task, answered by the team."""

from django.urls import URLPattern, URLResolver, path

from annotation.views import questions

urlpatterns: list[URLPattern | URLResolver] = [
    path("tasks/<uuid:public_id>/ask/", questions.ask, name="ask"),
    path("questions/<uuid:public_id>/seen/", questions.put_away, name="question-seen"),
    path("p/<slug:slug>/questions/", questions.questions_page, name="questions"),
    path("p/<slug:slug>/questions/<uuid:public_id>/", questions.question, name="question"),
]
