"""Filters of lists: a field for a part of a text, filters in use with a link to clear each, combinations in words."""

from itertools import islice, product
from typing import TYPE_CHECKING, NamedTuple

from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext

from annotation.models import Project, Sample, SchemaVersion
from annotation.services.core.list_pages import count_named
from annotation.services.core.word_patterns import list_separator
from annotation.views.core.forms import set_choices
from epitome.schema import Schema

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

NOT_FILTERS = ("page", "sort")
MOST_CODES = 500


class ActiveFilter(NamedTuple):
    """A filter in use. rest: the query of the list without it, "?" when nothing is left."""

    label: str
    value: str
    rest: str


def contains_field(label: "str | StrPromise") -> forms.CharField:
    """A field for a part of a text, in any case."""
    return forms.CharField(
        label=label, required=False, max_length=200, widget=forms.SearchInput({"dir": "auto", "spellcheck": "false"})
    )


def list_active(request: HttpRequest, form: forms.Form) -> list[ActiveFilter]:
    """The filters in use, in the order of the form, in the words that people see."""
    active = []
    for field in form.visible_fields():
        value = form.cleaned_data.get(field.name)
        if not value or field.name in NOT_FILTERS:
            continue
        query = request.GET.copy()
        query.pop(field.name, None)
        query.pop("page", None)
        active.append(ActiveFilter(str(field.label), _describe_value(field.field, value), f"?{query.urlencode()}"))
    return active


def _describe_value(field: forms.Field, value: object) -> str:
    if isinstance(field, forms.ChoiceField):
        return str(dict(field.choices).get(value, value))  # type: ignore[arg-type]
    return "" if value is True else str(value)


def offer_combinations(form: forms.BaseForm, name: str, project: Project) -> None:
    """Fill a select with the combinations that samples of the project have, in words."""
    codes = count_named("samples", lambda: Sample.objects.requests().filter(project=project), "combination", project)
    words: dict[str, str] = {}
    for version in SchemaVersion.objects.filter(project=project).defer("text").order_by("number"):
        words |= describe_codes(version.schema)
    choices = sorted((words.get(code, code), code) for code in codes)
    set_choices(form, name, [("", gettext("all")), *((code, text) for text, code in choices)])


def describe_codes(schema: Schema) -> dict[str, str]:
    """Code -> the values in words ("Length short, Specificity high"), of the first 500 combinations."""
    keys = [attribute.key for attribute in schema.sampled]
    separator = list_separator()
    words = {}
    for values in islice(product(*(attribute.values for attribute in schema.sampled)), MOST_CODES):
        texts = [f"{attribute.label} {value}" for attribute, value in zip(schema.sampled, values, strict=True)]
        words[schema.combination_code(dict(zip(keys, values, strict=True)))] = separator.join(texts)
    return words
