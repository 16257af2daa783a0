"""How far the annotators of one sample agree. The app that compares people and systems adds what computes it."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from annotation.extension_points import ExtensionPoint, qualified_name
from annotation.models import Annotation, Sample
from epitome.formats.encoded_json import parse_stored_json


@dataclass(frozen=True, slots=True)
class AgreementValue:
    """One number about a sample: its key, its name for people, and the number or the reason why there is none."""

    key: str
    label: str
    value: float | None
    undefined: str = ""


Measure = Callable[[Sample, Sequence[Annotation]], list[AgreementValue]]
AGREEMENT = ExtensionPoint[Measure]("measures of agreement", key=qualified_name)


def measure_agreement(sample: Sample, annotations: Sequence[Annotation]) -> list[AgreementValue]:
    """Agreement of the newest texts of a sample's planned annotators. annotations: with their attempts and slots.

    A text that was requested because the planned ones disagreed does not count: it would make agreement look worse
    than it is.
    """
    planned = [row for row in annotations if row.assignment is None or not row.assignment.slot.extra]
    return [value for measure in AGREEMENT for value in measure(sample, planned)]


def find_extra_texts(annotations: Collection[int]) -> set[int]:
    """Those of the annotations that were requested because the planned ones disagreed. A restored text has no slot on
    this site; its imported line says so."""
    rows = Annotation.objects.filter(pk__in=annotations).order_by()
    extra = set(rows.filter(assignment__slot__extra=True).values_list("pk", flat=True))
    restored = rows.filter(origin=Annotation.Origin.RESTORED, raw_json__contains='"extra":true')
    lines = restored.values_list("pk", "raw_json")
    return extra | {pk for pk, line in lines if parse_stored_json(line).get("extra") is True}
