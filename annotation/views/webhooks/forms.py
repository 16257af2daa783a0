"""The form of a webhook. Rules live in the service."""

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import WebhookTopic
from annotation.services.webhooks.targets import MAX_URL
from annotation.services.webhooks.webhooks import TOPICS
from annotation.views.core.forms import StyledForm


class WebhookForm(StyledForm):
    url = forms.CharField(
        label=_("Address"),
        max_length=MAX_URL,
        help_text=_("Such as https://hooks.example.org/epitome, of a host that the site's operator has listed."),
        widget=forms.TextInput({"dir": "ltr", "inputmode": "url", "autocomplete": "off", "spellcheck": "false"}),
    )
    events = forms.MultipleChoiceField(
        label=_("Tell it when"),
        choices=TOPICS,
        initial=[topic.value for topic in WebhookTopic.EVENTS],
        widget=forms.CheckboxSelectMultiple,
    )
