"""The text set `contrastives`: the gold summaries of a sample, each followed by its active contrastive examples.

All tuples (source, gold) of a sample are in one row of a run, because a row is what is leased, retried and stored
whole: the source is read once for all of them, and no tuple is left out or scored twice by a choice made at the start.
`scores["texts"]` names each text by its own key: a contrastive example by its public id, a further gold by
`annotation:PK`; `of` names the row that the text was read from.
"""

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.kinds import get_task_kind
from annotation.models import Annotation, Contrastive, Project
from annotation.services.core.errors import BadInput
from annotation.services.core.withdrawn_people import text_gone
from epitome.systems.protocol import Role
from modelbridge.services.runs.text_sets import ALONE, TEXT_SETS, Material

KEY = "contrastives"
GOLD = "annotation:"
"""What the origin of a gold text begins with, and the key of all but the first gold of a sample."""
EXAMPLE = "contrastive:"
"""What the origin of a contrastive example begins with."""


class ContrastiveTexts:
    """Gold summaries with their contrastive examples."""

    key = KEY
    title: Any = gettext_lazy("Contrastive examples")
    roles: frozenset[Role] = frozenset({"score"})

    def list_arguments(self, project: Project) -> list[tuple[str, str]]:
        return [("", "")] if _active_examples(project).exists() else []

    def check(self, project: Project, argument: str) -> None:
        if argument:
            raise BadInput(_("contrastives takes no name."), field="over", code="over")

    def list_samples(self, project: Project, argument: str) -> Collection[int]:
        return set(_active_examples(project).order_by().values_list("sample_id", flat=True).distinct())

    def load(self, project: Project, argument: str, samples: Collection[int]) -> dict[int, list[Material]]:
        examples_by_gold: dict[int, list[Material]] = defaultdict(list)
        sample_of_gold: dict[int, int] = {}
        rows = _active_examples(project).filter(sample__in=samples).order_by("annotation_id", "pk")
        for pk, public_id, gold, sample, text in rows.values_list(
            "pk", "public_id", "annotation_id", "sample_id", "text"
        ):
            sample_of_gold[gold] = sample
            examples_by_gold[gold].append(Material(str(public_id), text, origin=f"{EXAMPLE}{pk}"))
        golds = load_gold_texts(project, examples_by_gold)
        materials: dict[int, list[Material]] = {}
        for gold, examples in examples_by_gold.items():
            if gold in golds:
                texts = materials.setdefault(sample_of_gold[gold], [])
                origin = f"{GOLD}{gold}"
                texts += [Material(origin if texts else ALONE, golds[gold], origin=origin), *examples]
        return materials


def _active_examples(project: Project) -> "QuerySet[Contrastive]":
    return Contrastive.objects.active().filter(project=project, annotation__in=_existing_golds(project))


def _existing_golds(project: Project) -> "QuerySet[Annotation]":
    """Summaries whose text was not withdrawn."""
    return Annotation.objects.filter(~text_gone(), project=project)


def load_gold_texts(project: Project, annotations: Collection[int]) -> dict[int, str]:
    """annotation -> its text; withdrawn and empty ones are absent."""
    text_field = get_task_kind(project.kind, has_sample=True).text_field
    if not text_field:
        return {}
    rows = _existing_golds(project).filter(pk__in=list(annotations)).values_list("pk", f"payload__{text_field}")
    return {pk: text for pk, text in rows if isinstance(text, str) and text.strip()}


TEXT_SETS.register(ContrastiveTexts())
