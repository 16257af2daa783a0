"""What a withdrawal removes from ranking lists: answers that only this person gave, also where systems ranked them.

A list keeps its length, its golds and the order of its candidates, so that the tables of runs stay what they were.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models import Annotation, Project, RankingList
from annotation.services.withdrawal.texts import TEXT_HOLDERS, Holder, Projects, stored_summaries
from epitome.aggregations.normal import normalize_answers
from evaluation.services.aggregations.answers import has_answers
from modelbridge.models import SystemOutput
from modelbridge.services.runs.ranking_texts import KEY

MASK = "[withdrawn {place}]"


def _list_masks(projects: Projects, person: int) -> Iterator[tuple[RankingList, dict[str, str]]]:
    """Lists with answers that only this person gave, and what these are replaced by. Must run before the annotations
    themselves are emptied."""
    for project in filter(has_answers, projects):
        own_answers = _answers_of_one(projects, project, person)
        for listed in RankingList.objects.filter(project=project).select_related("release").order_by("pk"):
            masks = {
                text: MASK.format(place=position)
                for position, text in enumerate(listed.candidates, 1)
                if text in own_answers
            }
            if masks:
                yield listed, masks


def _answers_of_one(projects: Projects, project: Project, person: int) -> set[str]:
    """Normalised answers of a person that nobody else in the project gave."""
    own_payloads = stored_summaries(projects, person).filter(project=project).values_list("payload", flat=True)
    own_answers = {text for payload in own_payloads for text in _read_answers(payload)}
    others = Annotation.objects.filter(~Q(assignment__annotator=person) | Q(assignment=None), project=project)
    for payload in others.values_list("payload", flat=True).iterator(2000):
        own_answers.difference_update(_read_answers(payload))
    return own_answers


def _read_answers(payload: Mapping[str, Any]) -> list[str]:
    return normalize_answers(answer for answer in payload.get("answers") or [] if isinstance(answer, str))


def _mask_lists(projects: Projects, person: int) -> None:
    for listed, masks in list(_list_masks(projects, person)):
        candidates = [masks.get(text, text) for text in listed.candidates]
        RankingList.objects.filter(pk=listed.pk).update(candidates=candidates)
        over = f"{KEY}:{listed.release.tag}"
        ranked = Q(run__over=over) | Q(run__over__startswith=f"{over}/")
        for output in SystemOutput.objects.filter(ranked, project=listed.project_id, sample=listed.sample_id):
            masked = [{**row, "text": masks.get(row["text"], row["text"])} for row in output.candidates]
            text = masks.get(output.text, output.text)
            SystemOutput.objects.filter(pk=output.pk).update(candidates=masked, text=text)


TEXT_HOLDERS.register(
    Holder(
        "ranking_lists",
        _("ranking lists with answers that nobody else gave"),
        lambda p, who: sum(1 for _listed in _list_masks(p, who)),
        _mask_lists,
    )
)
