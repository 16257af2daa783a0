"""Forms of projects and members: text in, typed values out. Rules live in the services."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import Project, Role
from annotation.views.core.forms import StyledForm


class SettingsForm(StyledForm):
    """Project settings that can be changed at any time."""

    name = forms.CharField(label=_("Name"), max_length=200)
    overlap = forms.IntegerField(
        label=_("Annotators per sample"),
        min_value=1,
        max_value=50,
        initial=1,
        widget=forms.NumberInput({"class": "short"}),
    )
    claim_unit = forms.ChoiceField(
        label=_("An annotator takes"), choices=Project.ClaimUnit.choices, initial=Project.ClaimUnit.GROUP
    )
    phases = forms.ChoiceField(
        label=_("Topics and speakers"), choices=Project.Phases.choices, initial=Project.Phases.ONE_PAGE
    )
    assistance = forms.ChoiceField(
        label=_("Shown while writing"),
        choices=Project.Assistance.choices,
        initial=Project.Assistance.MINIMAL,
        help_text=_("It steers writers, so it is stored with every summary."),
    )
    lease_minutes = forms.IntegerField(
        label=_("Minutes until a task without activity goes to somebody else"),
        min_value=1,
        max_value=1440,
        initial=45,
        widget=forms.NumberInput({"class": "short"}),
    )
    skip_limit = forms.IntegerField(
        label=_("Annotators who skip a sample before it leaves the pool"),
        min_value=1,
        max_value=50,
        initial=3,
        widget=forms.NumberInput({"class": "short"}),
    )
    language = forms.CharField(
        label=_("Language of the texts"),
        max_length=20,
        initial="en",
        help_text=_("A language code such as en or zh-Hans."),
        widget=forms.TextInput({"class": "short"}),
    )
    timezone = forms.CharField(
        label=_("Time zone"),
        max_length=60,
        initial="UTC",
        help_text=_("Such as Europe/Berlin. Pages show times in it."),
    )


class ProjectForm(SettingsForm):
    """A new project: the settings, plus the fields that cannot be changed later."""

    slug = forms.SlugField(
        label=_("Short name"),
        max_length=60,
        help_text=_("Stands in addresses, commands and file names. Letters, digits and hyphens; it cannot be changed."),
    )
    schema = forms.ChoiceField(label=_("Preset of control attributes"), widget=forms.RadioSelect)
    field_order = ("name", "slug", "schema")

    def __init__(self, *args: Any, presets: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        schema = self.fields["schema"]
        assert isinstance(schema, forms.ChoiceField)
        schema.choices = presets
        schema.initial = presets[0][0] if presets else None


class MemberForm(StyledForm):
    """Add a role to an existing account."""

    username = forms.CharField(label=_("Account"), max_length=150)
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices)


class AccountForm(MemberForm):
    """A new account with its first password, and a role in this project."""

    username = forms.CharField(label=_("Name of the account"), max_length=150)
    email = forms.EmailField(label=_("E-mail"), required=False, help_text=_("For a new password by mail. Optional."))
    password = forms.CharField(
        label=_("First password"),
        min_length=12,
        max_length=128,
        strip=False,
        widget=forms.TextInput({"autocomplete": "off", "spellcheck": "false"}),
        help_text=_("At least 12 characters. Give it to the person, who changes it after the first sign-in."),
    )
    field_order = ("username", "email", "password", "role")
