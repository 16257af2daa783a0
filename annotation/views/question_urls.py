"""URLs of questions and answers, and of summaries affected by a change of rules."""

from django.urls import URLPattern, URLResolver, path

from annotation.views import questions, reannotation

urlpatterns: list[URLPattern | URLResolver] = [
    path("tasks/<uuid:public_id>/ask/", questions.ask_question, name="ask"),
    path("questions/<uuid:public_id>/seen/", questions.mark_answer_seen, name="question-seen"),
    path("p/<slug:slug>/questions/", questions.question_list, name="questions"),
    path("p/<slug:slug>/questions/<uuid:public_id>/", questions.show_question, name="question"),
    path("p/<slug:slug>/guideline/affected/", reannotation.affected_list, name="affected"),
]
