"""Forms of the practice: text in, typed values out. Rules live in the services."""

import re
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import PracticeItem
from annotation.services.practice.feedback import write_numbers
from annotation.services.practice.items import MAX_REASON
from annotation.services.practice.right_answers import MAX_WORDS
from annotation.views.core.forms import StyledForm
from annotation.views.core.list_filters import contains_field
from epitome.schema import Schema

NUMBERS = re.compile(r"\s*(\d{1,9})\s*(?:[-–]\s*(\d{1,9})\s*)?")


class SourceFilters(StyledForm):
    """Allowed filters of the list of sources, and nothing else."""

    source = contains_field(gettext_lazy("Source contains"))


class ShareForm(StyledForm):
    """The share of items to pass."""

    share = forms.FloatField(
        label=gettext_lazy("Share of items to pass, from 0 to 1"),
        min_value=0,
        max_value=1,
        widget=forms.NumberInput({"class": "short", "step": "any"}),
    )


class NumbersField(forms.CharField):
    """Numbers of segments as pages show them, from 1: "2, 4-6"; as a list of numbers from 0."""

    n_segments = 0

    def to_python(self, value: Any) -> Any:
        numbers: list[int] = []
        for piece in filter(str.strip, (super().to_python(value) or "").split(",")):
            match = NUMBERS.fullmatch(piece)
            first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
            if not 1 <= first <= last:
                raise forms.ValidationError(_("Write numbers of segments, such as 2, 4-6."))
            if last > self.n_segments:
                raise forms.ValidationError(_("This source has segments 1 to %(n)d.") % {"n": self.n_segments})
            numbers += range(first - 1, last)
        return sorted(set(numbers))


class LinesField(forms.CharField):
    """One text per line, without empty ones."""

    widget = forms.Textarea({"rows": 2, "dir": "auto"})

    def to_python(self, value: Any) -> Any:
        return [line.strip() for line in (super().to_python(value) or "").splitlines() if line.strip()]


class ItemForm(StyledForm):
    """A practice item: the requested values, what counts as right, and the reason. Its fields follow the schema."""

    needed_segments = NumbersField(
        label=gettext_lazy("Segments that must be marked"),
        required=False,
        max_length=1_000,
        help_text=gettext_lazy("Their numbers, such as 2, 4-6. Leave both fields empty to ask for no segments."),
    )
    also_segments = NumbersField(
        label=gettext_lazy("Segments that may be marked as well"), required=False, max_length=1_000
    )
    low = forms.IntegerField(
        label=gettext_lazy("Shortest summary, in words"),
        min_value=1,
        max_value=MAX_WORDS,
        required=False,
        widget=forms.NumberInput({"class": "short"}),
    )
    high = forms.IntegerField(
        label=gettext_lazy("Longest summary, in words"),
        min_value=1,
        max_value=MAX_WORDS,
        required=False,
        widget=forms.NumberInput({"class": "short"}),
        help_text=gettext_lazy("Leave both fields empty to ask for no summary."),
    )
    reason = forms.CharField(
        label=gettext_lazy("Why this is right"),
        max_length=MAX_REASON,
        widget=forms.Textarea({"rows": 4, "dir": "auto"}),
        help_text=gettext_lazy("Shown after each try, also after a wrong first one: name the rule, not the answer."),
    )

    def __init__(self, *args: Any, schema: Schema, n_segments: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.schema = schema
        fixed = dict(self.fields)
        self.fields.clear()
        for attribute in schema.sampled:
            choices = [(value, attribute.value_label(value)) for value in attribute.values]
            self.fields[f"value-{attribute.key}"] = forms.ChoiceField(label=attribute.label, choices=choices)
        for attribute in schema.chosen:
            self.fields[f"needed-{attribute.key}"] = LinesField(
                label=_("%(label)s: must be chosen") % {"label": attribute.label},
                required=False,
                help_text=_("One per line. Leave both fields empty to ask for no choice."),
            )
            self.fields[f"also-{attribute.key}"] = LinesField(
                label=_("%(label)s: may be chosen as well") % {"label": attribute.label}, required=False
            )
        self.fields.update(fixed)
        for field in self.fields.values():
            if isinstance(field, NumbersField):
                field.n_segments = n_segments
            classes = field.widget.attrs.get("class", "").split()
            field.widget.attrs["class"] = " ".join(dict.fromkeys([*classes, "field"]))

    def read_values(self) -> dict[str, str]:
        """The requested values, by attribute key."""
        return {attribute.key: self.cleaned_data[f"value-{attribute.key}"] for attribute in self.schema.sampled}

    def read_right(self) -> dict[str, Any]:
        """What counts as right, of the parts that are filled in."""
        data = self.cleaned_data
        right: dict[str, Any] = {}
        for attribute in self.schema.chosen:
            sets = {name: data[f"{name}-{attribute.key}"] for name in ("needed", "also")}
            if any(sets.values()):
                right.setdefault("chosen", {})[attribute.key] = sets
        segments = {"needed": data["needed_segments"], "also": data["also_segments"]}
        if any(segments.values()):
            right["segments"] = segments
        if data["low"] is not None or data["high"] is not None:
            right["length"] = {"low": data["low"], "high": data["high"]}
        return right

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if (cleaned.get("low") is None) != (cleaned.get("high") is None) and not self.errors:
            self.add_error("high", _("Give both the shortest and the longest, or neither."))
        return cleaned

    def add_fault(self, field: str, message: str) -> None:
        """Show a fault of the service at the field that it names, such as `segments.needed[0]`."""
        head, _dot, rest = field.partition("[")[0].partition(".")
        names = {
            "values": f"value-{rest}",
            "chosen": f"{'also' if rest.endswith('.also') else 'needed'}-{rest.partition('.')[0]}",
            "segments": "also_segments" if rest == "also" else "needed_segments",
            "length": "high" if rest == "high" else "low",
        }
        name = names.get(head, head)
        self.add_error(name if name in self.fields else None, message)


def initial_of(item: PracticeItem) -> dict[str, Any]:
    """What the form of an item shows at first."""
    right = item.right
    initial: dict[str, Any] = {f"value-{key}": value for key, value in item.values.items()}
    for key, sets in right.get("chosen", {}).items():
        initial |= {f"{name}-{key}": "\n".join(texts) for name, texts in sets.items()}
    for name, numbers in right.get("segments", {}).items():
        initial[f"{name}_segments"] = write_numbers(numbers)
    return {**initial, **right.get("length", {}), "reason": item.reason}
