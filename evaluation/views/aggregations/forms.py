"""Forms of the pages about ranking lists: text in, typed values out. Rules live in the services."""

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from annotation.models import RankingSplit, Release, SplitBy
from annotation.views.core.forms import MAX_SEED, StyledForm, set_choices
from modelbridge.models import Run
from modelbridge.services.runs.run_labels import label_run


class ListsForm(StyledForm):
    """Which release to make lists of, and how."""

    release = forms.ChoiceField(label=_("Release"))
    split_by = forms.ChoiceField(
        label=_("Splits"),
        choices=SplitBy.choices,
        help_text=_(
            "Drawn splits are 2:1:1. The paper drew by instance, so the same entities can be in train and test."
        ),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=MAX_SEED,
        initial=0,
        widget=forms.NumberInput({"class": "short"}),
        help_text=_("The same seed always draws the same lists."),
    )

    def __init__(self, data: Any, releases: list[Release]) -> None:
        super().__init__(data)
        set_choices(self, "release", [(release.tag, release.tag) for release in releases])


class RunsForm(StyledForm):
    """Which runs to compare, over the lists of which split."""

    run = forms.MultipleChoiceField(label=_("Runs"), required=False, widget=forms.CheckboxSelectMultiple)
    split = forms.ChoiceField(label=_("Split"), choices=RankingSplit.choices, required=False)

    def __init__(self, data: QueryDict, runs: list[Run]) -> None:
        super().__init__(data)
        choices = [(str(run.public_id), label_run(run, run.over)) for run in runs]
        set_choices(self, "run", choices)


def fill_runs_form(runs: list[Run], chosen: list[Run], split: str) -> RunsForm:
    """The form as if the shown runs and split had been chosen in it."""
    data = QueryDict(mutable=True)
    data.setlist("run", [str(run.public_id) for run in chosen])
    data["split"] = split
    return RunsForm(data, runs)
