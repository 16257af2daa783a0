"""Rows and messages of the task page's meters, for projects that show all of them.

With `minimal` assistance none of this is sent to the page.
"""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.kinds import get_task_kind
from annotation.services.tasks.live_meters import ON_A_WORKER
from annotation.views.core.measured_values import measure_units
from annotation.views.core.plural_forms import plural_forms
from annotation.views.core.script_modules import list_imported_modules
from annotation.views.tasks.messages import Sentence

FULL = "full"
# Computed in the browser (static/js/overlap.js, topics.js); the others by a worker, after a pause in typing.
IN_BROWSER = ("extractiveness", "topic")
SHARES = (
    "extractiveness",
    "topic",
    "speaker",
    "keywords",
)  # from 0 to 1, so that a gauge makes sense without a band


def list_meter_modules() -> list[str]:
    """The modules that the task page loads for the meters only; meters.js is imported on demand."""
    return sorted({"meters", *list_imported_modules("meters")} - set(list_imported_modules("task")))


@dataclass(frozen=True, slots=True)
class Meter:
    """One row: the measure, the requested values, and the guideline's advice."""

    key: str
    measure: str
    label: str
    requested: list[str]
    guide: str
    by: str
    share: bool
    banded: bool


def shows_all_meters(task: dict[str, Any]) -> bool:
    return task["assistance"] == FULL and get_task_kind(task["kind"], has_sample=True).metered


def build_meters(task: dict[str, Any]) -> list[Meter]:
    """One row per requested attribute that has a measure. Length is shown separately, above all others."""
    return [
        _build_meter(attribute)
        for attribute in task["attributes"]
        if attribute["revealed"]
        and attribute["measure"] in (*IN_BROWSER, *ON_A_WORKER)
        and _requested_values(attribute)
    ]


def length_meter(task: dict[str, Any]) -> Meter | None:
    return next(
        (
            _build_meter(attribute)
            for attribute in task["attributes"]
            if attribute["revealed"] and attribute["measure"] == "length"
        ),
        None,
    )


def has_topic_words(task: dict[str, Any]) -> bool:
    """Whether there are topic words to highlight."""
    return any(
        attribute["revealed"] and attribute["measure"] == "topic" and attribute["value"]
        for attribute in task["attributes"]
    )


def _build_meter(attribute: dict[str, Any]) -> Meter:
    measure = attribute["measure"]
    return Meter(
        key=attribute["key"],
        measure=measure,
        label=attribute["label"],
        requested=_requested_values(attribute),
        guide=attribute["value_guide"] or attribute["guide"],
        by="browser" if measure in IN_BROWSER else "server",
        share=measure in SHARES,
        banded=bool(attribute["band"]) and attribute["band"]["of"] == "measure",
    )


def _requested_values(attribute: dict[str, Any]) -> list[str]:
    value = attribute["value"]
    if isinstance(value, list):
        return [str(item) for item in value]
    return [] if value is None else [str(attribute["value_label"] or value)]


def meter_messages() -> dict[str, Sentence]:
    """All messages of the meters' script, by id; same format as annotation.views.tasks.messages."""
    units = measure_units()
    return {
        "copied-share": units["extractiveness"],
        "copied-runs": plural_forms(
            lambda n: ngettext("{n} copied run of three words or more", "{n} copied runs of three words or more", n)
        ),
        "topic-share": units["topic"],
        "topic-found": _("found: {words}"),
        "topic-missing": _("missing: {words}"),
        "speaker-runs": plural_forms(
            lambda n: ngettext("{n} copied run from their turns", "{n} copied runs from their turns", n)
        ),
        "speaker-none": _("no copied run from their turns"),
        "proposals-first": plural_forms(
            lambda n: ngettext(
                "1 unmarked passage found, see below. Confirm again to continue.",
                "{n} unmarked passages found, see below. Confirm again to continue.",
                n,
            )
        ),
        "proposals-open": plural_forms(
            lambda n: ngettext(
                "1 suggestion. Accept it if the summary needs it, otherwise reject it.",
                "{n} suggestions. Accept those the summary needs and reject the rest.",
                n,
            )
        ),
        "proposals-done": _("All suggestions are decided."),
        "proposal-accept": _("Accept the words in {n}"),
        "proposal-reject": _("Reject the words in {n}"),
        "topic-no-words": _("contains no word to search for"),
        "meter-counting": _("counting …"),
        "meter-failed": _("currently unavailable"),
        "meter-undefined": _("no value: {why}"),
        "meter-in": _("Within the guideline’s band, {band}."),
        "meter-over": _("Over the guideline’s band, {band}."),
        "meter-under": _("Under the guideline’s band, {band}."),
        "meter-band": _("{low} to {high}"),
        "meter-band-from": _("{low} or more"),
        **{f"{measure}-value": units[measure] for measure in ("specificity", "speaker", "readability", "keywords")},
    }
