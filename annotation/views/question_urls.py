"""Around the guideline: questions and their answers, and what older rules left to do again."""

from django.urls import URLPattern, URLResolver, path

from annotation.views import questions, reannotation

urlpatterns: list[URLPattern | URLResolver] = [
    path("tasks/<uuid:public_id>/ask/", questions.ask, name="ask"),
    path("questions/<uuid:public_id>/seen/", questions.put_away, name="question-seen"),
    path("p/<slug:slug>/questions/", questions.questions_page, name="questions"),
    path("p/<slug:slug>/questions/<uuid:public_id>/", questions.question, name="question"),
    path("p/<slug:slug>/guideline/affected/", reannotation.affected, name="affected"),
]
