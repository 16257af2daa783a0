"""The text around places that look like personal data, read from its source: hits hold none."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from annotation.kinds import get_task_kind
from annotation.models import Annotation, HitField, Project, PublicationHit, SourceText
from annotation.services.publications.personal_hits import (
    FURTHER,
    REQUEST,
    fingerprint_of,
    further_fields,
    request_text,
)

AROUND = 60


class Excerpt(NamedTuple):
    """A place with its surroundings; all "" where the text has changed or is gone."""

    hit: PublicationHit
    before: str
    matched: str
    after: str


def read_excerpts(project: Project, hits: Sequence[PublicationHit]) -> list[Excerpt]:
    """One per hit, in their order. hits: with their documents."""
    texts = {row.pk: row for row in SourceText.objects.filter(pk__in={hit.document_id for hit in hits})}
    lines = _read_lines(project, [hit for hit in hits if hit.sample_key])
    excerpts = []
    for hit in hits:
        if hit.sample_key:
            name = (hit.field, hit.segment)
            candidates = [fields.get(name, "") for fields in lines[hit.document_id, hit.sample_key]]
        elif hit.field == HitField.TITLE:
            candidates = [hit.document.title]
        else:
            segments = texts[hit.document_id].segments if hit.document_id in texts else []
            segment = segments[hit.segment] if hit.segment < len(segments) else {"text": "", "speaker": ""}
            candidates = [segment.get("speaker") or "" if hit.field == HitField.SPEAKER else segment["text"]]
        excerpts.append(_cut(project, hit, candidates))
    return excerpts


_Texts = dict[tuple[str, int], str]
"""The texts of a line by field and segment of a hit."""


def _read_lines(project: Project, hits: Iterable[PublicationHit]) -> dict[tuple[int, str], list[_Texts]]:
    """(source, sample key) -> the texts of each of its annotations."""
    places = {(hit.document_id, hit.sample_key) for hit in hits}
    lines: dict[tuple[int, str], list[_Texts]] = defaultdict(list)
    rows = Annotation.objects.filter(project=project, sample__document__in={pk for pk, _key in places})
    kind = get_task_kind(project.kind, has_sample=True)
    for annotation in rows.select_related("sample__group"):
        sample = annotation.sample
        if sample is None or (key := (sample.document_id, f"#{sample.position}")) not in places:
            continue
        exported = kind.export(annotation.payload)
        chosen = sample.group.chosen if sample.group is not None else {}
        lines[key].append(
            {
                (HitField.TITLE, 0): str(exported.get("title") or ""),
                (HitField.TEXT, 0): str(exported.get("text") or ""),
                (HitField.FIELDS, FURTHER): further_fields(exported),
                (HitField.FIELDS, REQUEST): request_text({**sample.values, **(chosen or {})}),
            }
        )
    return lines


def _cut(project: Project, hit: PublicationHit, candidates: Iterable[str]) -> Excerpt:
    for text in candidates:
        matched = text[hit.start : hit.end]
        if matched and fingerprint_of(project.export_salt, matched) == hit.fingerprint:
            before, after = text[max(0, hit.start - AROUND) : hit.start], text[hit.end : hit.end + AROUND]
            start = "… " if hit.start > AROUND else ""
            end = " …" if hit.end + AROUND < len(text) else ""
            return Excerpt(hit, start + before, matched, after + end)
    return Excerpt(hit, "", "", "")
