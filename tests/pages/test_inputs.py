"""Inputs of our forms are drawn without a template: the same elements as Django's, and everything escaped."""

import re

import pytest
from django import forms
from django.utils.safestring import mark_safe

from annotation.views.core.forms import StyledForm

VALUES = {"text": 'a "b" <i>', "number": "7", "mail": "a@b.example", "day": "2031-11-24", "tick": "on", "key": "x&y"}


class Fields(forms.Form):
    text = forms.CharField(required=False, help_text="Any", widget=forms.TextInput({"dir": "auto", "data-x": '"<'}))
    found = forms.CharField(required=False, widget=forms.SearchInput({"spellcheck": "false", "hidden": False}))
    number = forms.IntegerField(min_value=1, max_value=10**6)
    mail = forms.EmailField(max_length=20)
    word = forms.CharField(widget=forms.PasswordInput({"autofocus": True}))
    day = forms.DateField(widget=forms.DateInput({"type": "date"}))
    tick = forms.BooleanField(required=False)
    key = forms.CharField(widget=forms.HiddenInput({"data-x": mark_safe("&amp;")}))
    file = forms.FileField(widget=forms.FileInput({"accept": ".csv"}))
    long = forms.CharField(widget=forms.Textarea({"rows": 2}))


class Plain(Fields):
    """As Django draws it."""


class Ours(Fields, StyledForm):
    """As our forms draw it."""


def draw(form_class, data) -> str:
    form = form_class(data)
    form.is_valid()
    drawn = "".join(str(form[name]) for name in form.fields)
    return re.sub(r' class="[^"]*"', "", drawn)


@pytest.mark.parametrize("data", [None, {}, VALUES])
def test_the_elements_are_those_of_djangos_widgets(data):
    assert draw(Ours, data) == draw(Plain, data)


def test_what_people_wrote_is_escaped():
    drawn = draw(Ours, VALUES)
    assert "<i>" not in drawn and "a &quot;b&quot; &lt;i&gt;" in drawn and 'data-x="&quot;&lt;"' in drawn
