"""What a model is told about its draft: what was measured, what is wanted, and what to do about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from epitome.prompts.chat import Message, format_value, prompt_name
from epitome.prompts.templates import Template, load_template
from epitome.schema import Attribute
from epitome.systems.protocol import RequestValue

NAME = "refine"
_NUMBERS = ("misses", "kept")
PLACES: Mapping[str, tuple[str, ...]] = {
    "feedback": _NUMBERS,
    "explain": _NUMBERS,
    "rewrite": (),
    "miss": ("name", "value", "measured", "wanted"),
    "kept": ("names",),
    "between": ("low", "high"),
    "least": ("low",),
    "most": ("high",),
    "exactly": ("low",),
    "unmeasurable": (),
    "in_words": ("number",),
    "pick": ("pick",),
}
"""The texts, and the places that each may have."""


@dataclass(frozen=True)
class Miss:
    """A measured attribute outside of its range. measured: None where the draft has no such number; low, high: None
    where the range is open there; counts_words: whether the numbers are words."""

    attribute: Attribute
    value: RequestValue
    measured: float | None
    low: float | None
    high: float | None
    counts_words: bool = False


@dataclass(frozen=True)
class Feedback:
    """What is said about one draft. fitting: the attributes that are in their range. texts: own ones, by name."""

    misses: Sequence[Miss]
    fitting: Sequence[Attribute] = ()
    texts: Mapping[str, str] | None = None

    @cached_property
    def _template(self) -> Template:
        shipped = load_template(NAME)
        return Template(shipped.name, {**shipped.texts, **(self.texts or {})}, shipped.words)

    def ask_for_change(self) -> str:
        """The turn that asks for the next draft."""
        return self._fill("feedback")

    def ask_for_reasons(self) -> str:
        """The turn that asks why the draft misses what it misses."""
        return self._fill("explain")

    def ask_after_reasons(self) -> str:
        """The turn that asks for the next draft once the model has explained itself."""
        return self._template.texts["rewrite"]

    def _fill(self, name: str) -> str:
        names = ", ".join(prompt_name(attribute) for attribute in self.fitting)
        kept_line = "\n\n" + self._template.fill("kept", names=names) if names else ""
        return self._template.fill(name, misses="\n".join(map(self._describe, self.misses)), kept=kept_line)

    def _describe(self, miss: Miss) -> str:
        texts = self._template.texts
        measured = texts["unmeasurable"] if miss.measured is None else self._number(miss.measured, miss)
        return self._template.fill(
            "miss",
            name=prompt_name(miss.attribute),
            value=format_value(self._template, miss.attribute, miss.value),
            measured=measured,
            wanted=self._describe_range(miss),
        )

    def _describe_range(self, miss: Miss) -> str:
        low = "" if miss.low is None else _format_number(miss.low)
        high = "" if miss.high is None else _format_number(miss.high)
        if not high:
            range_text = self._template.fill("least", low=low)
        elif not low:
            range_text = self._template.fill("most", high=high)
        elif low == high:
            range_text = self._template.fill("exactly", low=low)
        else:
            range_text = self._template.fill("between", low=low, high=high)
        return self._template.fill("in_words", number=range_text) if miss.counts_words else range_text

    def _number(self, number: float, miss: Miss) -> str:
        text = _format_number(number)
        return self._template.fill("in_words", number=text) if miss.counts_words else text


def _format_number(number: float) -> str:
    """Whole numbers as such, else with two decimals; 0.25, not .25."""
    return f"{number:.0f}" if float(number).is_integer() else f"{number:.2f}"


def later_turns(draft: str, *turns: str) -> tuple[Message, ...]:
    """The draft and what follows it, in turn said by us and by the model."""
    roles = ("assistant", "user")
    return tuple({"role": roles[index % 2], "content": text} for index, text in enumerate((draft, *turns)))
