"""Filters for the templates of rounds."""

from django import template
from django.forms import BaseForm, BoundField

from evaluation.services.rounds.built_in_texts import translate_built_in
from evaluation.services.rounds.remedies import Remedy

register = template.Library()
register.filter("built_in_text", translate_built_in)


@register.filter
def find_remedy(field: BoundField) -> Remedy | None:
    """What would make the value of a field of a design right; None where nothing is known."""
    remedies: dict[str, Remedy] = getattr(field.form, "remedies", {})
    return remedies.get(field.name)


@register.filter
def has_errors(form: BaseForm, names: str) -> bool:
    """Whether something is wrong with one of the fields. names: separated by blanks."""
    return not form.errors.keys().isdisjoint(names.split())
