"""Selects of our forms are drawn by our own widget: the same elements as Django's, and everything escaped."""

import re

import pytest
from django import forms

from annotation.views.core.forms import StyledForm
from annotation.views.core.selects import QuickSelect

CHOICES = [
    ("", "all"),
    ("Group <1>", [("a", 'A "quoted" & <b>bold</b>'), ("b'", "B")]),
    (3, "three"),
]


class Plain(forms.Form):
    pick = forms.ChoiceField(
        choices=CHOICES, help_text="One of them", widget=forms.Select({"data-x": '"<', "class": "field"})
    )


class Ours(StyledForm):
    pick = forms.ChoiceField(choices=CHOICES, help_text="One of them", widget=forms.Select({"data-x": '"<'}))


def draw(form_class, **data) -> str:
    form = form_class(data or None)
    form.is_valid()
    return re.sub(r">\s+<", "><", str(form["pick"]).strip())


@pytest.mark.parametrize("chosen", ["", "a", "b'", "3", "not there", None])
def test_the_elements_are_those_of_djangos_widget(chosen):
    data = {} if chosen is None else {"pick": chosen}
    assert draw(Ours, **data) == draw(Plain, **data)


def test_what_people_wrote_is_escaped():
    drawn = draw(Ours, pick="a")
    assert "<b>" not in drawn and "&lt;b&gt;" in drawn and 'data-x="&quot;&lt;"' in drawn


def test_choices_that_are_set_later_are_drawn():
    form = Ours()
    form.fields["pick"].choices = [("x", "later")]
    assert isinstance(form.fields["pick"].widget, QuickSelect)
    assert '<option value="x">later</option>' in str(form["pick"])
