"""Draws selects without the template engine, which takes several times as long; every list page has two or three."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.forms.renderers import DjangoTemplates
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

SELECT = "django/forms/widgets/select.html"


class QuickSelectRenderer(DjangoTemplates):
    """Django's own renderer, but for selects."""

    def render(self, template_name: str, context: dict[str, Any], request: HttpRequest | None = None) -> str:
        if template_name == SELECT:
            return draw_select(context["widget"])
        return super().render(template_name, context, request)


def draw_select(widget: Mapping[str, Any]) -> SafeString:
    """widget: the context of forms.Select, with groups of options. The same elements as Django's template draws."""
    groups = format_html_join("", "{}", ((_draw_group(name, options),) for name, options, _n in widget["optgroups"]))
    return format_html('<select name="{}"{}>{}</select>', widget["name"], _join_attributes(widget["attrs"]), groups)


def _draw_group(name: str | None, options: Iterable[Mapping[str, Any]]) -> SafeString:
    drawn = format_html_join(
        "",
        '<option value="{}"{}>{}</option>',
        ((option["value"], _join_attributes(option["attrs"]), option["label"]) for option in options),
    )
    return format_html('<optgroup label="{}">{}</optgroup>', name, drawn) if name else drawn


def _join_attributes(attributes: Mapping[str, Any]) -> SafeString | str:
    """True is an attribute without a value; False is left out."""
    drawn = (
        format_html(" {}", name) if value is True else format_html(' {}="{}"', name, value)
        for name, value in attributes.items()
        if value is not False
    )
    return format_html_join("", "{}", ((attribute,) for attribute in drawn)) if attributes else ""
