"""Forms: text in, typed values out. Rules live in the services."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.services.core.word_patterns import add_remark
from annotation.views.core.forms import MAX_SEED, StyledForm, set_choices
from annotation.views.core.list_filters import contains_field
from epitome.prompts.questions import list_questions
from modelbridge.models import RunState
from modelbridge.services.runs.run_options import MAX_QUESTION
from modelbridge.services.runs.runs import MAX_BUDGET
from modelbridge.services.systems.systems import MAX_TOML


class TomlForm(StyledForm):
    """A configuration. Registering the key of an existing system creates its next revision."""

    toml = forms.CharField(
        label=gettext_lazy("Configuration"),
        max_length=MAX_TOML,
        strip=False,
        widget=forms.Textarea({"rows": 24, "class": "code", "spellcheck": "false", "dir": "ltr", "wrap": "off"}),
    )


TAKEN_AS_THEY_ARE = ("split", "asks", "seed", "label", "over", "budget")


class RunForm(StyledForm):
    """Settings of a run. overs: for systems that work on texts, the sets to choose from; asks: whether it is a judge,
    which needs a question."""

    over = forms.ChoiceField(label=gettext_lazy("Texts"))
    preset = forms.ChoiceField(label=gettext_lazy("What to ask"), required=False)
    question = forms.CharField(
        label=gettext_lazy("Question"),
        required=False,
        max_length=MAX_QUESTION,
        widget=forms.Textarea({"rows": 3}),
        help_text=gettext_lazy("About one text, such as “Is this abstract more empirical or more conceptual?”"),
    )
    answers = forms.CharField(
        label=gettext_lazy("Answers"),
        required=False,
        widget=forms.Textarea({"rows": 3}),
        help_text=gettext_lazy("One per line. Any other answer counts as invalid."),
    )
    shows_source = forms.BooleanField(label=gettext_lazy("Show the judge the source"), required=False)
    shows_request = forms.BooleanField(label=gettext_lazy("Show the judge the request"), required=False)
    split = forms.ChoiceField(label=gettext_lazy("Samples"), required=False)
    asks = forms.ChoiceField(label=gettext_lazy("That ask for"), required=False)
    seed = forms.IntegerField(
        label=gettext_lazy("Seed"),
        min_value=0,
        max_value=MAX_SEED,
        initial=0,
        widget=forms.NumberInput({"class": "short"}),
        help_text=gettext_lazy("The same seed gives the same outputs if the system is deterministic."),
    )
    budget = forms.FloatField(
        label=gettext_lazy("Budget"),
        required=False,
        min_value=0,
        max_value=MAX_BUDGET,
        widget=forms.NumberInput({"class": "short", "step": "any"}),
        help_text=gettext_lazy(
            "Optional, in the currency of the system's price. The run stops once its outputs have cost so much."
        ),
    )
    label = forms.CharField(
        label=gettext_lazy("Label"),
        max_length=200,
        required=False,
        help_text=gettext_lazy("Optional, for your own reference."),
    )

    def __init__(
        self,
        data: Any,
        splits: Sequence[str],
        overs: Sequence[tuple[str, str]] | None = None,
        *,
        has_question: bool = False,
        question_asked: str = "",
        has_price: bool = False,
        attribute_sets: Sequence[tuple[str, str]] = (),
    ) -> None:
        """question_asked: key of the published question that is chosen first. attribute_sets: (attributes, words) that
        samples ask for; no choice where all ask for the same."""
        super().__init__(data)
        if len(attribute_sets) > 1:
            set_choices(self, "asks", [("", _("any attributes")), *attribute_sets])
        else:
            del self.fields["asks"]
        split_choices = [(split, split) for split in splits if split]
        set_choices(self, "split", [("", _("all")), *split_choices])
        if overs is None:
            del self.fields["over"]
        else:
            set_choices(self, "over", list(overs))
        if has_question:
            published = [(question.key, add_remark(question.title, question.source)) for question in list_questions()]
            set_choices(self, "preset", [("", _("my own question")), *published])
            self.initial["preset"] = question_asked
        else:
            for name in ("preset", "question", "answers", "shows_source", "shows_request"):
                del self.fields[name]
        if not has_price:
            del self.fields["budget"]

    def run_settings(self) -> dict[str, Any]:
        """What `start_run` takes, of a valid form."""
        values = self.cleaned_data
        settings: dict[str, Any] = {name: values[name] for name in TAKEN_AS_THEY_ARE if name in values}
        if values.get("preset"):
            settings["options"] = {"preset": values["preset"]}
        elif "question" in values:
            answers = [line for line in values["answers"].splitlines() if line.strip()]
            flags = {name: values[name] for name in ("shows_source", "shows_request")}
            settings["options"] = {"question": values["question"], "answers": answers, **flags}
        return settings


class UploadForm(StyledForm):
    """Predictions of a system that runs elsewhere."""

    file = forms.FileField(label=gettext_lazy("File"), allow_empty_file=True)
    system = forms.CharField(
        label=gettext_lazy("System ID"),
        max_length=60,
        required=False,
        help_text=gettext_lazy("Lower-case letters, digits and hyphens. Leave empty if each line has one."),
    )
    name = forms.CharField(label=gettext_lazy("Name of the system"), max_length=200, required=False)
    split = forms.ChoiceField(
        label=gettext_lazy("Samples"),
        required=False,
        help_text=gettext_lazy("The samples that the lines belong to if they have no sample_id."),
    )
    label = forms.CharField(label=gettext_lazy("Label"), max_length=200, required=False)

    def __init__(self, data: Any, files: Any, splits: Sequence[str]) -> None:
        super().__init__(data, files)
        split_choices = [(split, split) for split in splits if split]
        set_choices(self, "split", [("", _("all")), *split_choices])


class RunFilters(StyledForm):
    """Allowed filters of the list of runs, and nothing else."""

    q = contains_field(gettext_lazy("System or label contains"))
    state = forms.ChoiceField(
        label=gettext_lazy("State"), required=False, choices=[("", gettext_lazy("all")), *RunState.choices]
    )


class OutputFilters(StyledForm):
    """Allowed filters of a run's outputs, and nothing else."""

    state = forms.ChoiceField(
        label=gettext_lazy("State"),
        required=False,
        choices=[
            ("", gettext_lazy("all")),
            ("done", gettext_lazy("done")),
            ("failed", gettext_lazy("failed")),
            ("flagged", gettext_lazy("text changed")),
            ("truncated", gettext_lazy("source cut")),
            ("cut-off", gettext_lazy("cut at max_tokens")),
        ],
    )
    page = forms.CharField(required=False, widget=forms.HiddenInput)
