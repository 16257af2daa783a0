"""Rounds that are written ready for a project: those that check a dataset that was constructed, or written here."""

import re
import tomllib
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.utils.translation import gettext as _

from annotation.models import Contrastive, Project, Sample, SampleState
from annotation.services.core.errors import NotFound
from epitome.rounds.selecting import is_empty
from epitome.rounds.templates import PRESET_FOLDER, load_template
from evaluation.models import Round
from evaluation.services.rounds.aggregation_material import has_instances, shows_instance
from evaluation.services.rounds.contrastive_material import list_scorer_runs
from evaluation.services.rounds.design_check import parse_config
from evaluation.services.rounds.round_material import Material

NAME = re.compile(r'^name = "(.*)"$', re.MULTILINE)
ATTRIBUTE = re.compile(r'^attribute = "(.*)"$', re.MULTILINE)
PER_RULE = re.compile(r"^per_rule = \d+$", re.MULTILINE)
N = re.compile(r"^n = (\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class Preset:
    """A round's file that ships. attribute: by whose values its pairs are formed, "" without pairs."""

    key: str
    name: str
    attribute: str
    text: str

    @property
    def template(self) -> str:
        return str(tomllib.loads(self.text)["round"]["template"])


@cache
def all_presets() -> tuple[Preset, ...]:
    """The presets in the order of their keys."""
    return tuple(_read_preset(path) for path in sorted(PRESET_FOLDER.glob("*.toml")))


def _read_preset(path: Path) -> Preset:
    text = path.read_text(encoding="utf-8")
    name, attribute = NAME.search(text), ATTRIBUTE.search(text)
    assert name is not None, path.name
    return Preset(path.stem, name[1], attribute[1] if attribute is not None else "", text)


def list_presets(project: Project) -> list[Preset]:
    """The presets that fit a project: its schema has the attribute, and some sample asks for a value of it; or it has
    contrastive examples; or its tasks are aggregations."""
    return [preset for preset in all_presets() if _fits_project(preset, project)]


def _fits_project(preset: Preset, project: Project) -> bool:
    if preset.attribute:
        samples = Sample.objects.filter(project=project, state=SampleState.ACTIVE)
        known = project.schema_version.schema.find(preset.attribute) is not None
        return known and samples.filter(values__has_key=preset.attribute).exists()
    shows = load_template(preset.template).shows
    if "mark" in shows:
        return Contrastive.objects.active().filter(project=project).exists()
    return shows_instance(shows) and has_instances(project)


def write_preset(project: Project, key: str) -> str:
    """The TOML text of a preset for a project: a name that is free, no more items than the project has material for,
    and the newest run of a scorer where its failures are checked.

    Raises NotFound for a preset that does not fit the project.
    """
    preset = next((preset for preset in list_presets(project) if preset.key == key), None)
    if preset is None:
        raise NotFound(_("There is no such preset for this project."))
    text = preset.text.replace(f'name = "{preset.name}"', f'name = "{_find_free_name(project, preset.name)}"', 1)
    usual_n = N.search(text)
    if usual_n is None:
        return _name_scorer_run(project, text)
    n_items = count_pairs(project, preset) if preset.attribute else _count_golds(project, preset)
    return N.sub(f"n = {min(n_items, int(usual_n[1])) or int(usual_n[1])}", text, count=1)


def _name_scorer_run(project: Project, text: str) -> str:
    run = list_scorer_runs(project).order_by("-pk").first()
    if run is None:
        return text
    return PER_RULE.sub(lambda line: f'{line[0]}\nnot_dodged_by = "{run.public_id}"', text, count=1)


def _count_golds(project: Project, preset: Preset) -> int:
    """Instances with a gold."""
    return len(Material(project, parse_config(project, preset.text, f"{preset.key}.toml")).pools["gold"])


def _find_free_name(project: Project, name: str) -> str:
    used_names = set(Round.objects.filter(project=project, name__startswith=name).values_list("name", flat=True))
    number = 1
    while (free := name if number == 1 else f"{name} {number}") in used_names:
        number += 1
    return free


def count_pairs(project: Project, preset: Preset) -> int:
    """Sources with human summaries that were asked for two values of the attribute or more."""
    material = Material(project, parse_config(project, preset.text, f"{preset.key}.toml"))
    values: defaultdict[str, set[str]] = defaultdict(set)
    for candidate in material.pools["gold"]:
        value = candidate.request.get(preset.attribute)
        if not is_empty(value):
            values[candidate.source].add(str(value))
    return sum(len(source_values) > 1 for source_values in values.values())
