"""Forms of projects and members: text in, typed values out. Rules live in the services."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import Project, Role
from annotation.services.people import invitations, quotas
from annotation.views.core.forms import StyledForm

MOST_LIST_BYTES = 100_000


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

    username = forms.CharField(label=_("User name"), max_length=150)
    email = forms.EmailField(label=_("E-mail"), required=False, help_text=_("For a new password by mail. Optional."))
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
    name = forms.CharField(label=_("What it is for"), max_length=100, widget=forms.TextInput({"dir": "auto"}))
    roles = forms.MultipleChoiceField(
        label=_("Roles"),
        choices=Role.choices,
        initial=[Role.ANNOTATOR],
        widget=forms.CheckboxSelectMultiple,
    )
    max_uses = short_number(_("People who may join by it"), high=invitations.MOST_USES, initial=1)
    days = short_number(_("Days until it expires"), high=invitations.MOST_DAYS, initial=14)


class InvitationListForm(StyledForm):
    """One invitation per address: pasted, or from a file."""

    addresses = forms.CharField(
        label=_("E-mail addresses"),
        required=False,
        max_length=100_000,
        widget=forms.Textarea({"rows": 8, "dir": "ltr", "spellcheck": "false"}),
        help_text=_("One per line, or separated by commas; names such as “Team <team@example.org>” may stay."),
    )
    file = forms.FileField(
        label=_("or a CSV file"),
        required=False,
        help_text=_("Any column with addresses is read; UTF-8, at most 100 KB."),
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


class CrowdForm(StyledForm):
    name = forms.CharField(label=_("What it is for"), max_length=100, widget=forms.TextInput({"dir": "auto"}))
    tasks = short_number(_("Tasks of each person"), high=1_000_000, initial=10, help_text=_("The quota."))
    max_uses = short_number(_("People who may take part"), high=invitations.MOST_USES, initial=50)
    days = short_number(_("Days until it expires"), high=invitations.MOST_DAYS, initial=30)
    code = forms.CharField(
        label=_("Completion code"),
        required=False,
        max_length=60,
        help_text=_("As the platform gives it. Empty: one is drawn."),
        widget=forms.TextInput({"class": "short"}),
    )
    return_url = forms.CharField(
        label=_("Way back to the platform"),
        required=False,
        max_length=500,
        help_text=_("Optional. An https address on a host that the site's settings name."),
        widget=forms.TextInput({"dir": "ltr"}),
    )
    id_parameter = forms.CharField(label=_("Parameter of the person's id"), max_length=40, initial="PROLIFIC_PID")
    study_parameter = forms.CharField(
        label=_("Parameter of the study"), required=False, max_length=40, initial="STUDY_ID"
    )
    session_parameter = forms.CharField(
        label=_("Parameter of the session"), required=False, max_length=40, initial="SESSION_ID"
    )
    study = forms.CharField(label=_("Only for this study"), required=False, max_length=120, help_text=_("Empty: any."))
    signed = forms.BooleanField(
        label=_("Ids are signed by the platform's server (parameter sig)"),
        required=False,
        help_text=_("For ids that can be guessed. The key is shown with the link."),
    )


PASSWORD = forms.PasswordInput({"autocomplete": "new-password"})


class SignUpForm(StyledForm):
    """Create an account from an invitation."""

    username = forms.CharField(
        label=_("Name of the account"), max_length=150, widget=forms.TextInput({"autocomplete": "username"})
    )
    email = forms.EmailField(label=_("E-mail"), required=False, help_text=_("For a new password by mail. Optional."))
    password = forms.CharField(
        label=_("Password"),
        min_length=12,
        max_length=128,
        strip=False,
        widget=PASSWORD,
        help_text=_("At least 12 characters; not one that everybody uses."),
    )
    again = forms.CharField(label=_("The password again"), max_length=128, strip=False, widget=PASSWORD)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("password") and cleaned.get("password") != cleaned.get("again"):
            self.add_error("again", _("The two passwords differ."))
        return cleaned


BULK = (
    ("give", _("give the role")),
    ("take", _("take the role")),
    ("quota", _("set the quota")),
    ("pause", _("pause: no new tasks")),
    ("resume", _("give tasks again")),
    ("close", _("close the account")),
    ("open", _("open the account")),
    ("reset", _("reset the second factor")),
)


NEEDS_ROLE = ("give", "take")


class MemberFilter(forms.Form):
    q = forms.CharField(required=False, max_length=150)
    role = forms.ChoiceField(required=False, choices=[("", _("any role")), *Role.choices])
    page = forms.CharField(required=False)


class BulkForm(StyledForm):
    """The bulk action for the selected members."""

    action = forms.ChoiceField(label=_("Do with the people ticked"), choices=BULK)
    role = forms.ChoiceField(label=_("Role"), required=False, choices=[("", "–"), *Role.choices])
    max_tasks = forms.IntegerField(
        label=_("Quota"),
        required=False,
        min_value=0,
        max_value=quotas.MOST_TASKS,
        help_text=_("Tasks held and handed in. Empty: no limit."),
        widget=forms.NumberInput({"class": "short"}),
    )
    note = forms.CharField(
        label=_("Why paused"),
        required=False,
        max_length=500,
        help_text=_("The person reads it."),
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
