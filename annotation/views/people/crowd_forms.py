"""Forms of crowd links and of their consent page."""

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.models import Project, Role
from annotation.services.core.kind_words import name_finished
from annotation.services.people import consent, invitations
from annotation.services.people.crowd_roles import CROWD_ROLES
from annotation.services.people.pay import MOST_PAY
from annotation.views.core.forms import StyledForm, set_choices
from annotation.views.people.forms import short_number


class CrowdForm(StyledForm):
    name = forms.CharField(label=_("Description"), max_length=100, widget=forms.TextInput({"dir": "auto"}))
    leads_to = forms.ChoiceField(label=_("People of this link"), choices=[])
    tasks = short_number(_("Tasks per person"), high=1_000_000, initial=10, help_text=_("To write, or items to rate."))
    max_uses = short_number(_("Maximum number of people"), high=invitations.MOST_USES, initial=50)
    days = short_number(_("Days until it expires"), high=invitations.MOST_DAYS, initial=30)
    code = forms.CharField(
        label=_("Completion code"),
        required=False,
        max_length=60,
        help_text=_("As given by the platform. Leave empty to generate one."),
        widget=forms.TextInput({"class": "short"}),
    )
    code_screened_out = forms.CharField(
        label=_("Code for people who are not qualified"),
        required=False,
        max_length=60,
        widget=forms.TextInput({"class": "short"}),
    )
    code_no_work = forms.CharField(
        label=_("Code when there is no more work"),
        required=False,
        max_length=60,
        widget=forms.TextInput({"class": "short"}),
    )
    pay_amount = forms.DecimalField(
        label=_("Pay per task"),
        required=False,
        min_value=Decimal("0.01"),
        max_value=MOST_PAY,
        decimal_places=2,
        help_text=_("Shown before people start. Empty: not shown, or for raters as the round's design says."),
        widget=forms.NumberInput({"class": "short", "step": "0.01"}),
    )
    pay_currency = forms.CharField(
        label=_("Currency"), required=False, max_length=3, widget=forms.TextInput({"class": "short", "dir": "ltr"})
    )
    return_url = forms.CharField(
        label=_("Return URL of the platform"),
        required=False,
        max_length=500,
        help_text=_("Optional. An https URL on a host allowed in the site's settings."),
        widget=forms.TextInput({"dir": "ltr"}),
    )
    id_parameter = forms.CharField(label=_("Parameter of the participant ID"), max_length=40, initial="PROLIFIC_PID")
    study_parameter = forms.CharField(
        label=_("Parameter of the study ID"), required=False, max_length=40, initial="STUDY_ID"
    )
    session_parameter = forms.CharField(
        label=_("Parameter of the session ID"), required=False, max_length=40, initial="SESSION_ID"
    )
    study = forms.CharField(label=_("Only for this study"), required=False, max_length=120, help_text=_("Empty: any."))
    signed = forms.BooleanField(
        label=_("IDs are signed by the platform's server (parameter sig)"),
        required=False,
        help_text=_("For IDs that can be guessed. The key is shown with the link."),
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(Role.ANNOTATOR.value, gettext("write %(nouns)s") % {"nouns": name_finished(project.kind, 2)})]
        for role in CROWD_ROLES:
            choices += [
                (f"{role.role}:{target.id}", gettext("rate in the round “%(name)s”") % {"name": target.label})
                for target in role.list_targets(project)
                if target.id
            ]
        set_choices(self, "leads_to", choices)

    def clean(self) -> dict[str, Any]:
        """Without `leads_to`, with the role and the target that it names."""
        cleaned: dict[str, Any] = super().clean() or {}
        role, _colon, target = cleaned.pop("leads_to", "").partition(":")
        return {**cleaned, "role": role, "target": target}


class ConsentForm(StyledForm):
    """The next version of the consent page."""

    purpose = forms.CharField(
        label=_("Purpose"),
        max_length=consent.MAX_PURPOSE,
        help_text=_("What the data are for, who approved the study, and whom to ask. Shown first."),
        widget=forms.Textarea({"rows": 3, "dir": "auto"}),
    )
    text = forms.CharField(
        label=_("Consent"),
        max_length=consent.MAX_TEXT,
        strip=False,
        help_text=_("Markdown; HTML is shown as text."),
        widget=forms.Textarea({"rows": 16, "dir": "auto"}),
    )
