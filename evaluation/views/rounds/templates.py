"""Round templates of a project's own: the list, and one as text with its check and a preview."""

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.errors import BadInput, NotFound, ServiceError
from annotation.views.core.decorators import add_service_error, current_user, project_page
from epitome.rounds.answer_texts import FEWEST_TEXTS
from epitome.rounds.questions import Question
from epitome.rounds.templates import RoundTemplate as Template
from epitome.rounds.templates import attribute_question, load_template, template_keys, template_text
from evaluation.models import RoundTemplate
from evaluation.services.rating.item_payload import describe_answers
from evaluation.services.rounds import own_templates
from evaluation.views.rating.item_page import fill_question, list_example_texts
from evaluation.views.rounds.forms import TemplateForm

BLANK = """key = "my-template"
name = "My template"
form = "single"              # single, pair, or list: three summaries or more
shows = ["source"]           # request, reference, metadata:FIELD; mark; entities, context
n = 30
raters_per_item = 2
intro = "You see a source text and one summary of it. Read both, then answer."

[[question]]
key = "true"
type = "yes-no"              # likert, value, number, several, note; side, preference; best-worst, ranking
text = "Is everything it says in the source?"
why = "optional"             # a reason beside the answer; or required
"""


@project_page(access.MAKERS)
def list_templates(request: HttpRequest, project: Project) -> HttpResponse:
    rows = RoundTemplate.objects.filter(project=project).order_by("key").select_related("changed_by")
    shipped = [load_template(key) for key in template_keys()]
    return render(request, "evaluation/rounds/templates.html", {"project": project, "rows": rows, "shipped": shipped})


@project_page(access.MAKERS, methods=("GET", "HEAD", "POST"))
def new_template(request: HttpRequest, project: Project) -> HttpResponse:
    """A new template; ?from= starts with the text of a built-in one."""
    base = request.GET.get("from", "")
    text = template_text(base).replace(f'key = "{base}"', f'key = "my-{base}"', 1) if base in template_keys() else BLANK
    return _edit_template(request, project, None, text)


@project_page(access.MAKERS, methods=("GET", "HEAD", "POST"))
def show_template(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    row = RoundTemplate.objects.filter(project=project, public_id=public_id).select_related("project").first()
    if row is None:
        raise NotFound()
    if request.POST.get("do") == "delete":
        own_templates.delete_template(row=row, by=current_user(request))
        messages.success(request, _("Template deleted. Launched rounds keep their copy."))
        return redirect("round-templates", project.slug)
    return _edit_template(request, project, row, row.toml)


def _edit_template(request: HttpRequest, project: Project, row: RoundTemplate | None, text: str) -> HttpResponse:
    """Show the text with its check and preview; POST checks it or stores it."""
    form = TemplateForm(request.POST or None, initial={"toml": text})
    if request.method == "POST" and form.is_valid():
        text = form.cleaned_data["toml"]
        if request.POST.get("do") == "save":
            try:
                by = current_user(request)
                base_hash = request.POST.get("base", "")
                stored = own_templates.save_template(project=project, text=text, by=by, row=row, base_hash=base_hash)
            except ServiceError as error:
                add_service_error(form, error)
            else:
                messages.success(request, _("Template saved."))
                return redirect("round-template", project.slug, stored.public_id)
    base = request.POST.get("base", "") or (row.hash if row is not None else "")
    context = {"project": project, "form": form, "row": row, "base": base, **_check_text(project, text)}
    faulty = bool(form.errors or (context["fault"] and request.method == "POST"))
    return render(request, "evaluation/rounds/template.html", context, status=422 if faulty else 200)


def _check_text(project: Project, text: str) -> dict[str, Any]:
    """The parsed template with its preview, or the fault of the text."""
    try:
        template = own_templates.check_template(text)
    except BadInput as error:
        return {"template": None, "fault": error.message}
    return {"template": template, "fault": "", "preview": preview_template(project, template)}


def preview_template(project: Project, template: Template) -> dict[str, Any]:
    """The questions as raters see them, without an item, and the worked examples with their answers."""
    n_texts = {"single": 1, "pair": 2}.get(template.form, FEWEST_TEXTS)
    questions = [question.for_texts(n_texts) for question in list_questions(project, template)]
    return {
        "questions": [
            {**describe_question(question), "number": number} for number, question in enumerate(questions, 1)
        ],
        "examples": [
            {
                "example": example,
                "summaries": list_example_texts(example, template),
                "answers": [
                    {
                        "question": question.text,
                        "answer": question.asks.describe(question, example.answers[question.key]),
                    }
                    for question in questions
                    if question.key in example.answers
                ],
            }
            for example in template.examples
        ],
    }


def list_questions(project: Project, template: Template) -> list[Question]:
    """The questions about attributes of the project's schema, then those of the template."""
    questions: list[Question] = []
    if template.per_attribute:
        attributes = project.schema_version.schema.attributes
        fitting = [attribute for attribute in attributes if attribute.question]
        if template.names_values:
            fitting = [attribute for attribute in fitting if attribute.values]
        questions = [attribute_question(attribute, template) for attribute in fitting]
    return [*questions, *template.questions]


def describe_question(question: Question) -> dict[str, Any]:
    """A question without an item, for evaluation/rating/_question.html."""
    described = {
        "key": question.key,
        "type": question.type,
        "text": question.text,
        "about": question.about,
        "hint": question.hint,
        "lines": [],
        "wanted": [],
        "required": question.required,
        "why": question.why,
        **describe_answers(question),
    }
    return fill_question(described, f"q-{question.key}", {})
