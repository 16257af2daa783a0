"""The question about an attribute as raters see it, for the editor of attributes."""

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from annotation.views.guidelines.attribute_preview import QUESTION_PREVIEWS, QuestionPreview
from epitome.rounds.templates import attribute_question, load_template
from epitome.schema import Attribute
from evaluation.views.rounds.templates import describe_question

TEMPLATE = "macsum-yes-no"


def render_attribute_question(attribute: Attribute) -> SafeString:
    """The question of the usual template, closed."""
    question = attribute_question(attribute, load_template(TEMPLATE))
    value = attribute.value_label(attribute.values[-1]) if attribute.values else ""
    described = {**describe_question(question), "number": 1, "wanted": [value] if value else []}
    return render_to_string("evaluation/rating/_question.html", {"question": described, "closed": True})


QUESTION_PREVIEWS.register(QuestionPreview("rounds", render_attribute_question))
