"""Rounds that are written ready for a project: those that check a constructed dataset."""

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.utils.translation import gettext as _

from annotation.models import Project, Sample, SampleState
from annotation.services.core.errors import NotFound
from evaluation.models import Round
from evaluation.rounds.selecting import is_empty
from evaluation.services.rounds.design_check import parse_config
from evaluation.services.rounds.round_material import Material

FOLDER = Path(__file__).parents[2] / "rounds" / "presets"
NAME = re.compile(r'^name = "(.*)"$', re.MULTILINE)
ATTRIBUTE = re.compile(r'^attribute = "(.*)"$', re.MULTILINE)
N = re.compile(r"^n = (\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class Preset:
    """A round's file that ships. attribute: by whose values its pairs are formed."""

    key: str
    name: str
    attribute: str
    text: str


@cache
def all_presets() -> tuple[Preset, ...]:
    """The presets in the order of their keys."""
    return tuple(_read_preset(path) for path in sorted(FOLDER.glob("*.toml")))


def _read_preset(path: Path) -> Preset:
    text = path.read_text(encoding="utf-8")
    name, attribute = NAME.search(text), ATTRIBUTE.search(text)
    assert name is not None and attribute is not None, path.name
    return Preset(path.stem, name[1], attribute[1], text)


def list_presets(project: Project) -> list[Preset]:
    """The presets that fit a project: its schema has the attribute, and some sample asks for a value of it."""
    samples = Sample.objects.filter(project=project, state=SampleState.ACTIVE)
    schema = project.schema_version.schema
    return [
        preset
        for preset in all_presets()
        if schema.find(preset.attribute) is not None and samples.filter(values__has_key=preset.attribute).exists()
    ]


def write_preset(project: Project, key: str) -> str:
    """The TOML text of a preset for a project: a name that is free, and no more pairs than there are sources.

    Raises NotFound for a preset that does not fit the project.
    """
    preset = next((preset for preset in list_presets(project) if preset.key == key), None)
    if preset is None:
        raise NotFound(_("There is no such preset for this project."))
    text = preset.text.replace(f'name = "{preset.name}"', f'name = "{_find_free_name(project, preset.name)}"', 1)
    n_sources = count_pairs(project, preset)
    usual_n = N.search(text)
    assert usual_n is not None
    return N.sub(f"n = {min(n_sources, int(usual_n[1])) or int(usual_n[1])}", text, count=1)


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
