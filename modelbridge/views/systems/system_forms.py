"""The form of a system's configuration: its fields are what the kind reads (systems/option_fields.py)."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.services.core.word_patterns import join_names
from annotation.views.core.forms import StyledForm
from epitome.systems.neural.weights import list_operator_weights
from epitome.systems.option_fields import OptionField, Path

WEIGHTS = ("weights", "prefixes", "fused")
LONG_TEXTS = ("prompt", "ending")
HEAD = ("name", "key")


class SystemForm(StyledForm):
    """Name and key, and a field per option; the kind checks the values."""

    name = forms.CharField(
        label=gettext_lazy("Name"), required=False, max_length=200, widget=forms.TextInput({"dir": "auto"})
    )
    key = forms.CharField(
        label=gettext_lazy("Key"),
        required=False,
        max_length=60,
        widget=forms.TextInput({"dir": "ltr", "autocomplete": "off"}),
        help_text=gettext_lazy("Lower-case letters, digits and hyphens. The key of a system here: its next revision."),
    )

    def __init__(self, data: Mapping[str, Any], options: Sequence[OptionField]) -> None:
        super().__init__(data)
        self.options = options
        fields: dict[str, Any] = self.fields
        for option in options:
            field = _build_field(option, str(data.get(field_name(option.path), "")))
            attrs = field.widget.attrs
            attrs["class"] = f"{attrs.get('class', '')} field".strip()
            fields[field_name(option.path)] = field

    def needed(self) -> list[Any]:
        """The bound fields of what the kind needs."""
        return [self[field_name(option.path)] for option in self.options if option.required]

    def usual(self) -> list[Any]:
        """Those with a default, outside any table."""
        return [
            self[field_name(option.path)] for option in self.options if not option.required and len(option.path) == 1
        ]

    def tables(self) -> list[tuple[str, list[Any]]]:
        """Those of tables, by the table's name."""
        by_table: dict[str, list[Any]] = {}
        for option in self.options:
            if len(option.path) > 1:
                by_table.setdefault(_as_words(option.path[0]), []).append(self[field_name(option.path)])
        return list(by_table.items())

    def show_fault(self, key: str, message: str) -> bool:
        """Show a fault at its field; whether there is one. key: as the check names it, options.decoding.seed."""
        names = {f"system.{name}": name for name in HEAD}
        names |= {".".join(("options", *option.path)): field_name(option.path) for option in self.options}
        if key not in names:
            return False
        self.is_valid()
        self.add_error(names[key], message)
        return True


def field_name(path: Path) -> str:
    """The name of an option's field in the form."""
    return "o." + ".".join(path)


def _as_words(key: str) -> str:
    return key.replace("_", " ").capitalize()


def _build_field(option: OptionField, value: str) -> forms.Field:
    shared: dict[str, Any] = {
        "label": _as_words(option.path[-1]),
        "required": False,
        "help_text": "" if option.required else _describe_default(option),
    }
    if choices := _list_choices(option, value):
        return forms.ChoiceField(choices=choices, **shared)
    if option.is_list or option.path[0] in LONG_TEXTS:
        return forms.CharField(strip=False, widget=forms.Textarea({"rows": 3, "dir": "auto"}), **shared)
    if option.is_number:
        attrs = {"class": "short", "inputmode": "decimal", "dir": "ltr", "autocomplete": "off"}
        return forms.CharField(widget=forms.TextInput(attrs), **shared)
    return forms.CharField(widget=forms.TextInput({"dir": "auto", "autocomplete": "off"}), **shared)


def _list_choices(option: OptionField, value: str) -> list[tuple[str, str]]:
    """The values to choose from, with what is there now; [] for a free text."""
    if option.is_flag:
        names = {"true": _("yes"), "false": _("no")}
    elif option.is_choice:
        names = {choice: choice for choice in option.choices}
    elif option.path == ("server",):
        names = {name: name for name in settings.EPITOME_CHAT_SERVERS}
    elif option.path[-1] in WEIGHTS and len(option.path) == 1:
        names = {name: name for name in list_operator_weights()}
    else:
        return []
    if not names and option.is_text:
        return []
    if value and value not in names:
        names[value] = value
    return [("", "–" if option.required else _("default")), *names.items()]


def _describe_default(option: OptionField) -> str:
    """What holds where the field is left empty, and the range of a number."""
    parts = []
    if isinstance(option.default, bool):
        parts.append(_("Default: %(value)s.") % {"value": _("yes") if option.default else _("no")})
    elif option.default not in (None, "", [], ()):
        value = join_names(option.default) if isinstance(option.default, list | tuple) else option.default
        parts.append(_("Default: %(value)s.") % {"value": value})
    if option.is_list:
        parts.append(_("One per line."))
    if option.is_whole and option.most is not None:
        parts.append(_("From %(least)s to %(most)s.") % {"least": option.least, "most": option.most})
    return " ".join(parts)
