"""Selects are drawn by our own renderer: the same elements as Django's template draws, and everything escaped."""

import re

from django import forms
from django.forms.renderers import DjangoTemplates

from annotation.views.core.form_renderer import QuickSelectRenderer

CHOICES = [
    ("", "all"),
    ("Group <1>", [("a", 'A "quoted" & <b>bold</b>'), ("b'", "B")]),
    (3, "three"),
]


class OneSelect(forms.Form):
    pick = forms.ChoiceField(choices=CHOICES, required=True, widget=forms.Select({"class": "field", "data-x": '"<'}))


def draw(renderer, **data) -> str:
    form = OneSelect(data or None, renderer=renderer)
    form.is_valid()
    return re.sub(r">\s+<", "><", str(form["pick"]).strip())


def test_the_elements_are_those_of_djangos_template():
    for chosen in ("", "a", "b'", "3", "not there"):
        assert draw(QuickSelectRenderer(), pick=chosen) == draw(DjangoTemplates(), pick=chosen)
    assert draw(QuickSelectRenderer()) == draw(DjangoTemplates())


def test_what_people_wrote_is_escaped():
    drawn = draw(QuickSelectRenderer(), pick="a")
    assert "<b>" not in drawn and "&lt;b&gt;" in drawn and 'data-x="&quot;&lt;"' in drawn


def test_the_pages_use_it(settings):
    assert settings.FORM_RENDERER.endswith("QuickSelectRenderer")
