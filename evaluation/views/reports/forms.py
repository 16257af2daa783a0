"""Forms of reports: text in, typed values out. Rules live in the services."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.views.core.forms import StyledForm
from modelbridge.models import SystemRevision


class JudgeForm(StyledForm):
    judge = forms.ChoiceField(label=_("Judge"), choices=[])

    def __init__(self, *args: Any, judges: list[SystemRevision], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, Any] = self.fields
        fields["judge"].choices = [(str(revision.pk), str(revision)) for revision in judges]
