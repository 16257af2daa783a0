"""Forms of projects and members: text in, typed values out. Rules live in the services."""

from typing import Any

from django import forms
from django.conf import settings
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _

from annotation.models import Role
from annotation.services.people import invitations, projects, quotas
from annotation.views.core.forms import StyledForm, set_choices
from annotation.views.core.list_filters import contains_field
from annotation.views.people.project_templates import (
    TEMPLATE_OF_SHORT_TEXTS,
    fits_kind,
    kind_choices,
    language_choices,
    template_choices,
)

MOST_LIST_BYTES = 100_000


class ProjectForm(StyledForm):
    """A new project: its template, name and language; everything else is in the settings."""

    kind = forms.ChoiceField(label=_("Task"), required=False, widget=forms.RadioSelect)
    schema = forms.ChoiceField(label=_("Start from"), widget=forms.RadioSelect)
    name = forms.CharField(
        label=_("Name"),
        max_length=200,
        widget=forms.TextInput({"dir": "auto"}),
        error_messages={"required": _("Give the project a name.")},
    )
    language = forms.ChoiceField(label=_("Language of the texts"), initial="en")
    slug = forms.CharField(
        label=_("Short name"),
        required=False,
        max_length=60,
        validators=[
            RegexValidator(
                r"^[A-Za-z0-9_-]+\Z", _("Use Latin letters, digits and hyphens only, without spaces: night-news.")
            )
        ],
        help_text=_(
            "Used in URLs, commands and file names. Leave empty to make it from the name; it cannot be changed."
        ),
        widget=forms.TextInput({"dir": "ltr", "spellcheck": "false"}),
    )
    timezone = forms.CharField(required=False, max_length=60, widget=forms.HiddenInput({"data-browser-zone": ""}))
    file = forms.FileField(
        label=_("File with the texts"),
        required=False,
        max_length=255,
        help_text=_("Optional: you see it before it is imported, and can import more later."),
    )
    token = forms.CharField(required=False, max_length=2000, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kinds = kind_choices()
        self.usual_kind = kinds[0][0]
        self.has_kinds = len(kinds) > 1
        if self.has_kinds:
            set_choices(self, "kind", kinds)
            self.fields["kind"].initial = self.usual_kind
        else:
            del self.fields["kind"]
        set_choices(self, "schema", template_choices())
        set_choices(self, "language", language_choices())
        self.fields["schema"].initial = template_choices()[0][0]

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        values["kind"] = values.get("kind") or self.usual_kind
        template = values.get("schema")
        if template and not fits_kind(template, values["kind"]):
            self.add_error("schema", _("This template is not for this kind of task. Choose another one."))
        return values

    def with_file(self, token: str, *, is_short: bool) -> "ProjectForm":
        """The form as it was sent, with the file that came with it. is_short: with the template of short texts."""
        data = dict(self.data.items())
        data["token"] = token
        if is_short:
            data["schema"] = TEMPLATE_OF_SHORT_TEXTS
        form = ProjectForm(data)
        form.is_valid()
        form.errors.update(self.errors)
        return form

    def clean_timezone(self) -> str:
        """The browser's zone if the server knows it, else the site's: nobody typed it."""
        zone: str = self.cleaned_data["timezone"]
        return zone if zone in projects.known_timezones() else settings.TIME_ZONE


class MemberForm(StyledForm):
    """Add a role to an existing account."""

    username = forms.CharField(label=_("Existing account"), max_length=150)
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices)


class AccountForm(MemberForm):
    """A new account with its first password, and a role in this project."""

    username = forms.CharField(label=_("User name"), max_length=150)
    email = forms.EmailField(label=_("E-mail"), required=False, help_text=_("Optional. For password resets by email."))
    password = forms.CharField(
        label=_("First password"),
        required=False,
        min_length=12,
        max_length=128,
        strip=False,
        widget=forms.TextInput({"autocomplete": "off", "spellcheck": "false", "dir": "ltr"}),
        help_text=_("Leave empty to generate one. It is shown once and must be changed at the first sign-in."),
    )
    field_order = ("username", "email", "password", "role")


def short_number(label: Any, *, low: int = 1, high: int, initial: int, **options: Any) -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        min_value=low,
        max_value=high,
        initial=initial,
        widget=forms.NumberInput({"class": "short"}),
        **options,
    )


class InvitationForm(StyledForm):
    name = forms.CharField(label=_("Description"), max_length=100, widget=forms.TextInput({"dir": "auto"}))
    roles = forms.MultipleChoiceField(
        label=_("Roles"),
        choices=Role.choices,
        initial=[Role.ANNOTATOR],
        widget=forms.CheckboxSelectMultiple,
    )
    max_uses = short_number(_("Maximum number of people"), high=invitations.MOST_USES, initial=1)
    days = short_number(_("Days until it expires"), high=invitations.MOST_DAYS, initial=14)


class InvitationListForm(StyledForm):
    """One invitation per address: pasted, or from a file."""

    addresses = forms.CharField(
        label=_("E-mail addresses"),
        required=False,
        max_length=100_000,
        widget=forms.Textarea({"rows": 8, "dir": "ltr", "spellcheck": "false"}),
        help_text=_("One per line or separated by commas. “Team <team@example.org>” works too."),
    )
    file = forms.FileField(
        label=_("or a CSV file"),
        required=False,
        help_text=_("Addresses are read from any column. UTF-8, at most 100 KB."),
        widget=forms.FileInput({"accept": ".csv,.txt,.tsv,text/csv,text/plain"}),
    )
    roles = forms.MultipleChoiceField(
        label=_("Roles"), choices=Role.choices, initial=[Role.ANNOTATOR], widget=forms.CheckboxSelectMultiple
    )
    days = short_number(_("Days until they expire"), high=invitations.MOST_DAYS, initial=14)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        file = cleaned.get("file")
        if file is None:
            return cleaned
        try:
            content = file.read(MOST_LIST_BYTES + 1)
            if len(content) > MOST_LIST_BYTES:
                self.add_error("file", _("The file is larger than 100 KB."))
            cleaned["addresses"] = f"{cleaned.get('addresses', '')}\n{content.decode('utf-8-sig')}".strip()
        except UnicodeDecodeError:
            self.add_error("file", _("The file is not UTF-8 text. Save it as CSV in UTF-8."))
        return cleaned


PASSWORD = forms.PasswordInput({"autocomplete": "new-password"})


class SignUpForm(StyledForm):
    """Create an account from an invitation."""

    username = forms.CharField(
        label=_("User name"), max_length=150, widget=forms.TextInput({"autocomplete": "username"})
    )
    email = forms.EmailField(label=_("E-mail"), required=False, help_text=_("Optional. For password resets by email."))
    password = forms.CharField(
        label=_("Password"),
        min_length=12,
        max_length=128,
        strip=False,
        widget=PASSWORD,
        help_text=_("At least 12 characters; no common passwords."),
    )
    again = forms.CharField(label=_("Repeat the password"), max_length=128, strip=False, widget=PASSWORD)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("password") and cleaned.get("password") != cleaned.get("again"):
            self.add_error("again", _("The passwords do not match."))
        return cleaned


BULK = (
    ("give", _("add role")),
    ("take", _("remove role")),
    ("quota", _("set quota")),
    ("pause", _("pause (no new tasks)")),
    ("resume", _("resume")),
    ("close", _("close account")),
    ("open", _("reopen account")),
    ("reset", _("reset second factor")),
)


NEEDS_ROLE = ("give", "take")


class MemberFilter(StyledForm):
    q = contains_field(_("Name or e-mail contains"))
    role = forms.ChoiceField(label=_("Role"), required=False, choices=[("", _("any role")), *Role.choices])
    page = forms.CharField(required=False, widget=forms.HiddenInput)


class BulkForm(StyledForm):
    """The bulk action for the selected members."""

    action = forms.ChoiceField(label=_("With selected people"), choices=BULK)
    role = forms.ChoiceField(label=_("Role"), required=False, choices=[("", "–"), *Role.choices])
    max_tasks = forms.IntegerField(
        label=_("Quota"),
        required=False,
        min_value=0,
        max_value=quotas.MOST_TASKS,
        help_text=_("Tasks in progress and submitted. Leave empty for no limit."),
        widget=forms.NumberInput({"class": "short"}),
    )
    note = forms.CharField(
        label=_("Reason for the pause"),
        required=False,
        max_length=500,
        help_text=_("Shown to the person."),
        widget=forms.TextInput({"dir": "auto"}),
    )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("action") in NEEDS_ROLE and not cleaned.get("role"):
            self.add_error("role", _("Choose the role."))
        return cleaned


class AuditFilter(forms.Form):
    who = forms.CharField(required=False, max_length=150)
    did = forms.CharField(required=False, max_length=60)
    page = forms.CharField(required=False)
