"""Forms of rounds: text in, typed values out. Rules live in the services."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy as _

from annotation.models import Project
from annotation.services.core.word_patterns import name_value
from annotation.services.people.projects import MAX_TEXT
from annotation.views.core.forms import StyledForm
from annotation.views.core.list_filters import contains_field
from epitome.rounds.config_parsing import extra_questions
from epitome.rounds.templates import RoundTemplate, load_template, template_keys
from epitome.rounds.writing import Sketch
from evaluation.models import RoundState
from evaluation.services.rating.model_judges import list_judges
from evaluation.services.rounds import own_templates, rater_eligibility
from evaluation.services.rounds.built_in_texts import translate_built_in
from evaluation.services.rounds.remedies import Remedy
from modelbridge.models import Run
from modelbridge.services.runs.run_labels import label_run

SHORT = {"class": "short"}


class RoundFilters(StyledForm):
    """Allowed filters of the list, and nothing else."""

    q = contains_field(_("Name contains"))
    state = forms.ChoiceField(label=_("State"), required=False, choices=[("", _("all")), *RoundState.choices])


class ConfigForm(StyledForm):
    """The TOML text itself."""

    config = forms.CharField(
        label=_("Design"),
        max_length=MAX_TEXT,
        strip=False,
        widget=forms.Textarea(
            {"rows": 22, "class": "code", "spellcheck": "false", "dir": "ltr", "data-follows": "toml"}
        ),
    )


class TemplateForm(StyledForm):
    """A template's TOML text."""

    toml = forms.CharField(
        label=_("Template"),
        max_length=MAX_TEXT,
        strip=False,
        widget=forms.Textarea({"rows": 26, "class": "code", "spellcheck": "false", "dir": "ltr"}),
    )


class FieldFault(NamedTuple):
    """What is wrong with a field, named, and the remedy where there is one."""

    message: str
    remedy: Remedy | None


class SketchForm(StyledForm):
    """The settings that usually differ between rounds; everything else is edited in the TOML text."""

    name = forms.CharField(label=_("Name"), max_length=120, help_text=_("Not shown to raters."))
    template = forms.ChoiceField(label=_("Template"), choices=[])
    n = forms.IntegerField(
        label=_("Samples per target"), min_value=1, max_value=100_000, widget=forms.NumberInput(SHORT)
    )
    raters_per_item = forms.IntegerField(
        label=_("Raters per item"), min_value=1, max_value=50, initial=2, widget=forms.NumberInput(SHORT)
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=2**53,
        initial=1,
        help_text=_("The same file and seed give the same round."),
        widget=forms.NumberInput(SHORT),
    )
    gold = forms.BooleanField(label=_("Human summaries (gold)"), required=False, initial=True)
    runs = forms.MultipleChoiceField(label=_("Runs"), required=False, choices=[], widget=forms.CheckboxSelectMultiple)
    no_control = forms.BooleanField(
        label=_("Add a baseline without control"),
        required=False,
        help_text=_("The first run's outputs, each paired with another sample's request."),
    )
    raters = forms.MultipleChoiceField(
        label=_("Raters"),
        required=False,
        choices=[],
        widget=forms.CheckboxSelectMultiple,
        help_text=_("None selected: everyone with the role rater."),
    )
    split = forms.ChoiceField(label=_("Split"), required=False, choices=[])
    topics_only = forms.MultipleChoiceField(
        label=_("Only samples that ask for"), required=False, choices=[], widget=forms.CheckboxSelectMultiple
    )
    stratify = forms.ChoiceField(label=_("Balance by attribute"), required=False, choices=[])
    floor = forms.IntegerField(
        label=_("Minimum per value"), required=False, min_value=0, initial=0, widget=forms.NumberInput(SHORT)
    )
    extra = forms.MultipleChoiceField(
        label=_("Also ask"), required=False, choices=[], widget=forms.CheckboxSelectMultiple
    )
    reference = forms.CharField(
        label=_("Reference shown"),
        required=False,
        max_length=80,
        help_text=_("Only for templates that show a reference: gold, or metadata:FIELD."),
    )
    pairs_by = forms.ChoiceField(
        label=_("Pair by the values of"),
        required=False,
        choices=[],
        help_text=_(
            "Pairs of summaries of one source by the same target. Without it, targets are paired with each other."
        ),
    )
    other_source = forms.IntegerField(
        label=_("Foils: summaries of another source"),
        required=False,
        min_value=0,
        max_value=1000,
        initial=0,
        widget=forms.NumberInput(SHORT),
    )
    repeats = forms.IntegerField(
        label=_("Repeats"), required=False, min_value=0, max_value=1000, initial=0, widget=forms.NumberInput(SHORT)
    )
    qualification = forms.IntegerField(
        label=_("Required share of correct answers on the examples, in %"),
        required=False,
        min_value=0,
        max_value=100,
        initial=0,
        widget=forms.NumberInput(SHORT),
    )
    pause_foils_wrong = forms.IntegerField(
        label=_("Wrong answers to foils"),
        required=False,
        min_value=0,
        max_value=1000,
        initial=0,
        widget=forms.NumberInput(SHORT),
    )
    pause_seconds = forms.IntegerField(
        label=_("Too quick: median seconds per item below"),
        required=False,
        min_value=0,
        max_value=3600,
        initial=0,
        help_text=_("Of the last 10 items, unless the file gives another window."),
        widget=forms.NumberInput(SHORT),
    )
    pause_same_answers = forms.IntegerField(
        label=_("Same answers to every question: items in a row"),
        required=False,
        min_value=0,
        max_value=1000,
        initial=0,
        help_text=_("Choose a large number where one answer is common."),
        widget=forms.NumberInput(SHORT),
    )
    one_by_one = forms.BooleanField(label=_("One question at a time"), required=False)
    extra_ratings = forms.IntegerField(
        label=_("One more rater where raters disagree: items at most"),
        required=False,
        min_value=0,
        max_value=100_000,
        initial=0,
        help_text=_(
            "0: off. Needs more raters than raters per item. These ratings are shown to whoever decides disagreements "
            "and count in no figure."
        ),
        widget=forms.NumberInput(SHORT),
    )
    judges = forms.MultipleChoiceField(
        label=_("Judges"),
        required=False,
        choices=[],
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Models that answer every item. Their answers are kept apart from those of people."),
    )
    people_share = forms.IntegerField(
        label=_("Share of samples that people judge, in %"),
        required=False,
        min_value=1,
        max_value=100,
        initial=100,
        help_text=_("Below 100 with judges only: estimates are then made from people and judges together."),
        widget=forms.NumberInput(SHORT),
    )
    active = forms.BooleanField(
        label=_("Show people rather the samples that judges are in doubt about"),
        required=False,
        help_text=_("Needs two judges, or a form with steps or pairs. The round opens when they have answered."),
    )
    stopping = forms.ChoiceField(
        label=_("May stop early"),
        required=False,
        choices=[
            ("", _("no: results are shown at the end")),
            ("decided", _("when every comparison is decided")),
            ("width", _("when every interval is narrow enough")),
        ],
    )
    width = forms.IntegerField(
        label=_("Width of intervals, in points"),
        required=False,
        min_value=1,
        max_value=200,
        initial=20,
        widget=forms.NumberInput(SHORT),
    )

    def __init__(self, *args: Any, project: Project, sketched: Sketch | None = None, **kwargs: Any) -> None:
        """sketched: what the draft says, so that its runs and judges can be chosen whatever became of them."""
        super().__init__(*args, **kwargs)
        self.remedies: dict[str, Remedy] = {}
        self.known_runs = dict(sketched.runs) if sketched else {}
        fields: dict[str, Any] = self.fields
        attributes = project.schema_version.schema.attributes
        fixed = [(attribute.key, attribute.label) for attribute in attributes if attribute.values]
        no_choice = [("", "–")]
        shipped = [(key, translate_built_in(load_template(key).name)) for key in template_keys()]
        fields["template"].choices = [*shipped, *own_templates.template_names(project).items()]
        fields["runs"].choices = [(str(run.public_id), label_run(run)) for run in finished_runs(project)]
        fields["raters"].choices = [(user.username, user.username) for user in _list_raters(project)]
        splits = project.documents.exclude(split="").values_list("split", flat=True).distinct().order_by("split")
        fields["split"].choices = [("", _("all")), *((split, split) for split in splits)]
        fields["topics_only"].choices = [
            (attribute.key, attribute.label) for attribute in attributes if attribute.candidate_kind
        ]
        fields["stratify"].choices = fields["pairs_by"].choices = [*no_choice, *fixed]
        fields["judges"].choices = [(judge.system.key, str(judge.system)) for judge in list_judges(project)]
        fields["extra"].choices = [(question.key, question.text) for question in extra_questions()]
        if sketched is not None:
            _keep_choices(fields, sketched)

    def add_remedies(self, remedies: Iterable[Remedy]) -> None:
        """Say what is wrong with a field at that field, and keep its nearest right value for a button."""
        for remedy in remedies:
            name = remedy.field if remedy.field in self.fields else None
            self.add_error(name, remedy.message)
            self.remedies[remedy.field] = remedy

    def offer_limits(self) -> None:
        """Keep the nearest right value of numbers that are too small or too large."""
        for name, errors in self.errors.as_data().items():
            for error in errors:
                limit = (error.params or {}).get("limit_value")
                if isinstance(limit, int):
                    self.remedies[name] = Remedy(name, str(error.messages[0]), limit)

    def list_faults(self) -> list[FieldFault]:
        """What is wrong with the fields, for a place beside the form."""
        return [
            FieldFault(name_value(self[name].label, message), self.remedies.get(name))
            for name, messages in self.errors.items()
            if name in self.fields
            for message in messages
        ]

    def sketch(self, project: Project) -> Sketch:
        """The checked values."""
        values = {key: value for key, value in self.cleaned_data.items() if value is not None}
        keys = {**_run_keys(project), **self.known_runs}
        values["runs"] = [(run, keys[run]) for run in values["runs"]]
        return Sketch(**values, contrastive="mark" in self._find_template(project).shows)

    def _find_template(self, project: Project) -> RoundTemplate:
        """The chosen template."""
        key = self.cleaned_data["template"]
        return load_template(key) if key in template_keys() else own_templates.find_template(project, key)


def _keep_choices(fields: dict[str, Any], sketched: Sketch) -> None:
    """Add what a draft says and the project does not offer any more, so that saving the form does not drop it."""
    kept: dict[str, list[tuple[str, str]]] = {
        "runs": [(run, key) for run, key in sketched.runs],
        **{
            name: [(value, value) for value in getattr(sketched, name)]
            for name in ("raters", "judges", "topics_only", "extra")
        },
        **{name: [(value, value)] for name in ("split", "stratify", "pairs_by") if (value := getattr(sketched, name))},
    }
    for name, choices in kept.items():
        offered = {value for value, _label in fields[name].choices}
        fields[name].choices = [*fields[name].choices, *(choice for choice in choices if choice[0] not in offered)]


def finished_runs(project: Project) -> list[Run]:
    """Runs that can be judged, the newest first."""
    rows = Run.objects.writing().done().filter(project=project).select_related("revision__system")
    return list(rows.order_by("-pk"))


def _run_keys(project: Project) -> dict[str, str]:
    """Run id -> short target key: the system's key, numbered if a system has several runs."""
    used_keys: set[str] = set()
    key_by_run = {}
    for run in reversed(finished_runs(project)):
        key, number = run.revision.system.key, 1
        while key in used_keys:
            number += 1
            key = f"{run.revision.system.key}-{number}"
        used_keys.add(key)
        key_by_run[str(run.public_id)] = key
    return key_by_run


def _list_raters(project: Project) -> list[User]:
    return list(rater_eligibility.team_raters(project).order_by("username"))


class ReplaceForm(StyledForm):
    leaves = forms.ChoiceField(label=_("Rater to replace"), choices=[])
    joins = forms.ChoiceField(label=_("Replaced by"), required=False, choices=[])
    keep = forms.BooleanField(
        label=_("Keep the answers given so far"),
        required=False,
        help_text=_("Otherwise all items are rated again."),
    )

    def __init__(self, *args: Any, leaves: list[str], joins: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, Any] = self.fields
        fields["leaves"].choices = [(name, name) for name in leaves]
        fields["joins"].choices = [("", _("nobody")), *((name, name) for name in joins)]


class UnblindForm(StyledForm):
    name = forms.CharField(
        label=_("Name of the round"), max_length=200, widget=forms.TextInput({"dir": "auto", "autocomplete": "off"})
    )


class ClearForm(StyledForm):
    rater = forms.ChoiceField(label=_("Rater"), choices=[])
    source = forms.CharField(label=_("Source"), max_length=200, help_text=_("ID as in the list of sources."))
    reason = forms.CharField(label=_("Reason"), max_length=2000)

    def __init__(self, *args: Any, raters: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, Any] = self.fields
        fields["rater"].choices = [(name, name) for name in raters]
