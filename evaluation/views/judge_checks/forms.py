"""Forms of checking judges by hand: text in, typed values out. Rules live in the services."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.services.core.word_patterns import add_remark
from annotation.views.core.forms import StyledForm, seed_field, set_choices
from epitome.prompts.questions import list_questions
from evaluation.services.judge_checks.check_draws import DEFAULT_N, MAX_N


class DrawForm(StyledForm):
    """Which texts to draw for labelling."""

    question = forms.ChoiceField(label=_("Question"))
    over = forms.ChoiceField(label=_("Texts"))
    n = forms.IntegerField(
        label=_("Number of texts"),
        min_value=2,
        max_value=MAX_N,
        initial=DEFAULT_N,
        widget=forms.NumberInput({"class": "short"}),
        help_text=_("Half of them were requested or rewritten for one answer, half for the other."),
    )
    seed = seed_field()

    def __init__(self, data: Any, overs: Sequence[tuple[str, str]]) -> None:
        super().__init__(data)
        questions = [(question.key, add_remark(question.title, question.source)) for question in list_questions()]
        set_choices(self, "question", questions)
        set_choices(self, "over", overs)
