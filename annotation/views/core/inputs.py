"""Inputs of one element that are drawn without a template: Django's renders three for each field of a form."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from django.forms.renderers import DjangoTemplates
from django.utils.html import format_html
from django.utils.safestring import SafeString

KINDS = ("text", "search", "number", "email", "password", "date", "hidden", "checkbox", "file")
TEMPLATES = frozenset(f"django/forms/widgets/{kind}.html" for kind in KINDS)
"""Templates of Django that hold one input, and nothing else."""


class QuickInputs(DjangoTemplates):
    """Draws the same inputs as the templates of Django; everything else by its template."""

    def render(self, template_name: str, context: dict[str, Any], request: Any = None) -> str:
        if template_name in TEMPLATES:
            return _draw_input(context["widget"])
        return super().render(template_name, context, request)


def _draw_input(widget: Mapping[str, Any]) -> SafeString:
    value = "" if widget["value"] is None else format_html(' value="{}"', str(widget["value"]))
    attributes = join_attributes(widget["attrs"])
    return format_html('<input type="{}" name="{}"{}{}>', widget["type"], widget["name"], value, attributes)


def join_attributes(attributes: Mapping[str, Any]) -> SafeString:
    """True is an attribute without a value; False is left out."""
    return join_drawn(
        [
            _draw_attribute(name) if value is True else _draw_attribute(name, str(value))
            for name, value in attributes.items()
            if value is not False
        ]
    )


@lru_cache(maxsize=1000, typed=True)
def _draw_attribute(name: str, value: str | None = None) -> SafeString:
    """Kept, since forms have the same fields every time; typed as in `selects`: a SafeString equals a plain text."""
    return format_html(" {}", name) if value is None else format_html(' {}="{}"', name, value)


def join_drawn(pieces: Sequence[SafeString]) -> SafeString:
    """Pieces of HTML, one after the other."""
    return format_html("{}" * len(pieces), *pieces) if pieces else SafeString("")
