"""Forms: parse text into typed values. Rules live in the services; a form only reports unreadable values."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import ApiToken, GuidelineVersion, Project, Question, Role
from annotation.schema import Grouping

CHOICES = forms.CheckboxInput | forms.RadioSelect | forms.CheckboxSelectMultiple
MAX_SEED = 2**63 - 1


class Styled(forms.BaseForm):
    """Our CSS classes on Django's widgets; Django itself links errors to their fields for screen readers."""

    template_name = "forms/_fields.html"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        for field in self.fields.values():
            if not isinstance(field.widget, CHOICES):
                field.widget.attrs["class"] = f"{field.widget.attrs.get('class', '')} field".strip()


class StyledForm(Styled, forms.Form):
    pass


def seed_field(**kwargs: Any) -> forms.IntegerField:
    return forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=MAX_SEED,
        initial=0,
        help_text=_("The same seed over the same sources draws the same again."),
        widget=forms.NumberInput(attrs={"class": "short"}),
        **kwargs,
    )


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


class TokenForm(StyledForm):
    name = forms.CharField(label=_("What it is for"), max_length=100)
    scope = forms.ChoiceField(label=_("May"), choices=ApiToken.Scope.choices)
    days = forms.IntegerField(
        label=_("Days until it expires"),
        min_value=1,
        max_value=366,
        initial=90,
        widget=forms.NumberInput({"class": "short"}),
    )


class SchemaForm(StyledForm):
    """The next version of a schema, as text or as a file."""

    text = forms.CharField(
        label=_("TOML"),
        required=False,
        strip=False,
        max_length=200_000,
        widget=forms.Textarea({"class": "code", "rows": 24, "spellcheck": "false", "dir": "ltr", "wrap": "off"}),
    )
    file = forms.FileField(label=_("or a TOML file"), required=False, max_length=255)


class GuidelineForm(StyledForm):
    """The next version of a guideline. A preview requires the text only."""

    text = forms.CharField(
        label=_("Markdown"),
        strip=False,
        max_length=200_000,
        widget=forms.Textarea({"class": "code", "rows": 16, "dir": "auto"}),
    )
    change = forms.ChoiceField(
        label=_("What changes"),
        required=False,
        choices=GuidelineVersion.Change.choices,
        widget=forms.RadioSelect,
        help_text=_(
            "A rule: nobody gets another task before confirming it. Wording: everybody is asked, nobody waits."
        ),
    )
    note = forms.CharField(
        label=_("What changed, for those who know the version before"),
        required=False,
        max_length=2000,
        widget=forms.Textarea({"rows": 2, "dir": "auto"}),
    )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if self.data.get("do") == "keep":
            for name, message in (("change", _("Say what changes.")), ("note", _("Say in a sentence what changed."))):
                if not cleaned.get(name) and name not in self.errors:
                    self.add_error(name, message)
        return cleaned


class GateForm(StyledForm):
    """The guideline confirmation before the first task."""

    version = forms.IntegerField(widget=forms.HiddenInput)
    read = forms.BooleanField(label=_("I have read the guideline and its worked examples."))
    sign = forms.BooleanField(label=_("I wrote this myself"))
    consent = forms.ChoiceField(
        label=_("May it be recorded how each summary came about?"),
        choices=[("yes", _("yes")), ("no", _("no"))],
        widget=forms.RadioSelect,
    )


class AskForm(StyledForm):
    text = forms.CharField(
        label=_("Your question"), max_length=4000, strip=False, widget=forms.Textarea({"rows": 4, "dir": "auto"})
    )


class QuestionFilter(forms.Form):
    state = forms.ChoiceField(required=False, choices=[("open", "open"), ("answered", "answered")])
    page = forms.CharField(required=False)


class AffectedFilter(forms.Form):
    annotator = forms.IntegerField(required=False, min_value=1)
    version = forms.IntegerField(required=False, min_value=1, max_value=10**6)


class AnswerForm(StyledForm):
    """The team's answer to a question."""

    answer = forms.CharField(
        label=_("Answer"), max_length=4000, strip=False, widget=forms.Textarea({"rows": 4, "dir": "auto"})
    )
    kind = forms.ChoiceField(label=_("It goes"), choices=Question.Kind.choices, widget=forms.RadioSelect)
    question = forms.CharField(
        label=_("The question as everybody will read it"),
        required=False,
        max_length=4000,
        strip=False,
        widget=forms.Textarea({"rows": 2, "dir": "auto"}),
        help_text=_("For a ruling. Leave out what only concerns this task."),
    )


class DamageForm(StyledForm):
    reason = forms.CharField(
        label=_("What is wrong with it"), max_length=2000, widget=forms.Textarea({"rows": 2, "dir": "auto"})
    )


MAPPED = ("id", "text", "title", "origin_id", "split", "licence", "may_release_text")
FORMAT_NAMES = {
    "auto": _("find out by looking"),
    "macsum": _("MACSum"),
    "qmsum": _("QMSum"),
    "jsonl": _("JSON lines"),
    "csv": _("CSV table"),
    "story": _("CNN/DailyMail story"),
    "epitome-1": _("Epitome export"),
}


class ImportForm(StyledForm):
    """A file to import, and its import options."""

    file = forms.FileField(label=_("File"), max_length=255, allow_empty_file=True)
    format = forms.ChoiceField(label=_("Format"))
    split = forms.CharField(
        label=_("Split"),
        required=False,
        max_length=20,
        help_text=_("Of every source in it. Empty: the file's name tells (val becomes dev)."),
        widget=forms.TextInput({"class": "short"}),
    )
    licence = forms.CharField(label=_("Licence"), required=False, max_length=200)
    may_release_text = forms.BooleanField(
        label=_("The texts may be released with the dataset"),
        required=False,
        initial=True,
        help_text=_("Of sources whose row does not tell. Without it an export leaves their texts out."),
    )
    with_references = forms.BooleanField(
        label=_("Take the samples and human summaries of the file too"), required=False
    )
    dry_run = forms.BooleanField(label=_("Check only: list the faults, store nothing"), required=False)
    partial = forms.BooleanField(
        label=_("Store the sound rows even if others have faults"),
        required=False,
        help_text=_("Otherwise a file with one fault is refused as a whole."),
    )
    max_words = forms.IntegerField(
        label=_("Leave out sources above this many words"),
        required=False,
        min_value=1,
        max_value=10_000_000,
        help_text=_("Empty: 5,000 for QMSum, no limit for other formats."),
        widget=forms.NumberInput({"class": "short"}),
    )

    def __init__(self, *args: Any, formats: Sequence[str], columns: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choice = self.fields["format"]
        assert isinstance(choice, forms.ChoiceField)
        choice.choices = [(key, FORMAT_NAMES.get(key, key)) for key in formats]
        for name in MAPPED:
            column = forms.CharField(label=name, required=False, max_length=200, initial=columns.get(name, ""))
            column.widget.attrs["class"] = "field"
            self.fields[f"column_{name}"] = column

    def mapping(self) -> dict[str, str] | None:
        """Field name -> column of the file; None when no column is given."""
        columns = {name: self.cleaned_data.get(f"column_{name}", "") for name in MAPPED}
        return {name: column for name, column in columns.items() if column} or None


class SamplingForm(StyledForm):
    """Sampling options, prefilled from the schema."""

    algorithm = forms.ChoiceField(
        label=_("Way of drawing"),
        choices=[
            ("uniform", _("uniform: every value equally likely, independently")),
            ("one-step", _("one-step: a variant differs from its anchor in one attribute")),
            ("macsum-release", _("macsum-release: anchor and variant, weighted as in MACSum")),
            ("weighted", _("weighted: by the weights of the schema")),
            ("balanced", _("balanced: every combination equally often")),
        ],
    )
    seed = seed_field()
    per_2000_words = forms.FloatField(
        label=_("Samples per 2,000 words"),
        min_value=0.01,
        max_value=2000,
        widget=forms.NumberInput({"class": "short", "step": "any"}),
    )
    group_size = forms.IntegerField(
        label=_("Samples per group"), min_value=1, max_value=100, widget=forms.NumberInput({"class": "short"})
    )
    pace = forms.FloatField(
        label=_("Minutes per summary"),
        min_value=0.1,
        max_value=600,
        initial=10,
        help_text=_("Only for the writing time of the dry run."),
        widget=forms.NumberInput({"class": "short", "step": "any"}),
    )
    add = forms.BooleanField(
        label=_("Draw for sources that have samples already, too"),
        required=False,
        help_text=_("The new ones come after those that are there."),
    )

    def __init__(self, *args: Any, usual: Grouping, **kwargs: Any) -> None:
        names = ("algorithm", "per_2000_words", "group_size")
        super().__init__(*args, initial={name: getattr(usual, name) for name in names}, **kwargs)

    def options(self) -> dict[str, Any]:
        """The options for the sampler."""
        return {name: value for name, value in self.cleaned_data.items() if name not in ("add", "pace")}


class ExportForm(StyledForm):
    format = forms.ChoiceField(
        label=_("Format"),
        choices=[
            ("jsonl", _("JSON lines: every field, can be imported again")),
            ("macsum", _("MACSum JSON")),
            ("parquet", _("Parquet")),
        ],
    )
    state = forms.ChoiceField(
        label=_("Which summaries"),
        required=False,
        choices=[("", _("the latest of every assignment")), ("accepted", _("accepted ones only"))],
    )
    overlap = forms.ChoiceField(
        label=_("Of several summaries of a sample"),
        required=False,
        choices=[("", _("all")), ("marked", _("the marked one, where reviewers compared them"))],
    )
    split_seed = forms.IntegerField(
        label=_("Seed of a new 80/10/10 split"),
        required=False,
        min_value=0,
        max_value=MAX_SEED,
        help_text=_("By origin, so that pieces of one meeting stay together. Empty: the split of the import is kept."),
        widget=forms.NumberInput({"class": "short"}),
    )
    release = forms.SlugField(
        label=_("Release tag"),
        required=False,
        max_length=60,
        help_text=_("Freezes the list of rows: the same tag gives the same file, byte for byte, for ever."),
        widget=forms.TextInput({"class": "short"}),
    )
    authorship = forms.BooleanField(
        label=_("With the authorship record"),
        required=False,
        help_text=_("Shares of what was typed and pasted, of those who agreed to the record."),
    )


class SelectionForm(StyledForm):
    n = forms.IntegerField(
        label=_("How many sources take part"),
        min_value=1,
        max_value=10_000_000,
        widget=forms.NumberInput({"class": "short"}),
    )
    seed = seed_field()
