"""The choice of a licence and of the permission to release texts: of an import, of a source, of many sources."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.views.core.forms import StyledForm

LICENCES = ("CC0-1.0", "CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "CC-BY-NC-SA-4.0")
OTHER_LICENCE = "other"
NO_RELEASE = "none"


class LicenceFields(StyledForm):
    """A required choice: a licence that permits release, or none."""

    permission = forms.ChoiceField(
        label=gettext_lazy("Licence of the texts"),
        choices=[
            ("", gettext_lazy("Choose ...")),
            *((name, name) for name in LICENCES),
            (OTHER_LICENCE, gettext_lazy("Another licence that permits release")),
            (NO_RELEASE, gettext_lazy("The texts may not be released")),
        ],
        error_messages={"required": gettext_lazy("Choose the licence, or say that the texts may not be released.")},
        help_text=gettext_lazy("Applies to rows that don't say. Exports leave out texts that may not be released."),
    )
    licence = forms.CharField(
        label=gettext_lazy("Name of another licence"),
        required=False,
        max_length=200,
        help_text=gettext_lazy("Only if the list does not have it."),
    )

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        if values.get("permission") == OTHER_LICENCE and not values.get("licence"):
            self.add_error("licence", _("Name the licence that permits release."))
        elif values.get("permission") in LICENCES and values.get("licence"):
            self.add_error("licence", _("Leave this empty, or choose another licence in the list."))
        return values

    def licence_name(self) -> str:
        """The chosen licence; "" where none is known."""
        permission: str = self.cleaned_data["permission"]
        return permission if permission in LICENCES else str(self.cleaned_data["licence"])

    def may_release_text(self) -> bool:
        return bool(self.cleaned_data["permission"] != NO_RELEASE)
