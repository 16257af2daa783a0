"""A select that is drawn straight from its choices: Django's builds a context and renders a template for each option,
which was a third of the time of a list page."""

from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Any

from django import forms
from django.forms.renderers import BaseRenderer
from django.utils.html import format_html
from django.utils.safestring import SafeString

from annotation.views.core.inputs import join_attributes, join_drawn


class QuickSelect(forms.Select):
    """The same elements as forms.Select draws; for choices without attributes of their own."""

    def render(
        self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: BaseRenderer | None = None
    ) -> SafeString:
        chosen = set(self.format_value(value))
        attributes = join_attributes(self.build_attrs(self.attrs, attrs))
        return format_html('<select name="{}"{}>{}</select>', name, attributes, _draw_choices(self.choices, chosen))


def use_quick_selects(fields: Iterable[forms.Field]) -> None:
    """Put a `QuickSelect` in the place of every plain select, with its choices and attributes."""
    for field in fields:
        if type(field.widget) is forms.Select:
            quick = QuickSelect(field.widget.attrs)
            quick.choices, quick.is_required = field.widget.choices, field.widget.is_required
            field.widget = quick


def _draw_choices(choices: Iterable[tuple[Any, Any]], chosen: Collection[str]) -> SafeString:
    drawn = []
    for key, label in choices:
        if isinstance(label, list | tuple):
            drawn.append(format_html('<optgroup label="{}">{}</optgroup>', key, _draw_choices(label, chosen)))
        else:
            value = "" if key is None else str(key)
            drawn.append(_draw_option(value, str(label), value in chosen))
    return join_drawn(drawn)


@lru_cache(maxsize=2000, typed=True)
def _draw_option(value: str, label: str, is_chosen: bool) -> SafeString:
    """Kept, since lists offer the same weeks and combinations again and again; typed, since a SafeString equals the
    text that is still to be escaped."""
    words = '<option value="{}" selected>{}</option>' if is_chosen else '<option value="{}">{}</option>'
    return format_html(words, value, label)
