"""Selects the samples of a run and their order, and counts the reasons why others are left out."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import Project, Sample, SampleQuerySet, build_split_expression
from annotation.services.core.errors import BadInput
from annotation.services.core.word_patterns import join_names

REASONS = {
    "damaged": gettext_lazy("%(n)s of a damaged source"),
    "not selected": gettext_lazy("%(n)s of a source that was not selected"),
    "other attributes": gettext_lazy("%(n)s that ask for other attributes"),
    "no text": gettext_lazy("%(n)s that are not in this set of texts, such as of another split"),
    "not chosen yet": gettext_lazy("%(n)s without chosen topics and speakers"),
}


MOST_LOOKED_AT = 20_000


class ListedSample(NamedTuple):
    """One sample of a run. n_words: of its source."""

    pk: int
    n_words: int


def complete_samples(project: Project, split: str = "") -> SampleQuerySet:
    """Samples ready for systems: active, of a usable source, with topics and speakers chosen. In file order."""
    return _active_samples(project, split).filter(
        group__frozen_at__isnull=False, document__selected=True, document__damaged=False
    ).order_by("document_id", "position")  # fmt: skip


def _active_samples(project: Project, split: str) -> SampleQuerySet:
    rows = Sample.objects.active().filter(project=project, document__published=True)
    return rows.in_split(split) if split else rows


def list_samples(project: Project, split: str = "", asks: str = "") -> list[ListedSample]:
    """The samples of a run over a split and a set of attributes (all by default), in file order."""
    rows = complete_samples(project, split)
    if not asks:
        return [ListedSample(*row) for row in rows.values_list("pk", "document__n_words")]
    columns = ("pk", "document__n_words", "values", "group__chosen")
    return [
        ListedSample(pk, n_words)
        for pk, n_words, values, chosen in rows.values_list(*columns)
        if join_asked(values, chosen) == asks
    ]


def find_test_sample(project: Project) -> ListedSample:
    """The first sample of a project with samples that asks for something, or else its first one."""
    rows = complete_samples(project)
    columns = ("pk", "document__n_words")
    first = rows.requests().values_list(*columns).first() or rows.values_list(*columns)[0]
    return ListedSample(*first)


def join_asked(values: Mapping[str, Any], chosen: Mapping[str, Any]) -> str:
    """The attributes that a sample asks for, in alphabetical order with commas. An empty list asks for nothing."""
    return ",".join(sorted(key for key, value in {**values, **chosen}.items() if value not in (None, "", [])))


def parse_asks(project: Project, text: str) -> str:
    """Attributes that a person names by commas, in the form of `join_asked`. Raises BadInput naming an unknown one."""
    keys = sorted({key.strip() for key in text.split(",") if key.strip()})
    known = {attribute.key for attribute in project.schema_version.schema.attributes}
    for key in keys:
        if key not in known:
            message = _("%(key)s is no attribute of this project; it has %(known)s.")
            raise BadInput(message % {"key": key[:40], "known": join_names(sorted(known))}, field="asks")
    return ",".join(keys)


def sets_asked(project: Project) -> dict[str, int]:
    """The sets of attributes that samples ask for -> how many of the first `MOST_LOOKED_AT` samples do."""
    rows = complete_samples(project).values_list("values", "group__chosen")[:MOST_LOOKED_AT]
    return dict(Counter(join_asked(values, chosen) for values, chosen in rows))


def count_left_out(project: Project, split: str = "") -> dict[str, int]:
    """Reason why samples of the split are left out -> how many."""
    counts: Counter[str] = Counter()
    rows = _active_samples(project, split).values_list("group__frozen_at", "document__selected", "document__damaged")
    for frozen_at, selected, damaged in rows:
        if damaged:
            counts["damaged"] += 1
        elif not selected:
            counts["not selected"] += 1
        elif frozen_at is None:
            counts["not chosen yet"] += 1
    return dict(counts)


def describe_left_out(counts: dict[str, int]) -> str:
    """A text with the counts of count_left_out()."""
    return join_names(str(REASONS[why] % {"n": n}) for why, n in counts.items())


def splits_of(project: Project) -> list[str]:
    """The splits that have complete samples; "" is a missing split."""
    rows = complete_samples(project).annotate(resolved_split=build_split_expression())
    return list(rows.order_by("resolved_split").values_list("resolved_split", flat=True).distinct())


def work_orders(samples: list[ListedSample]) -> list[int]:
    """Each sample's rank by source length, longest first: even batches, and lack of memory shows early."""
    order = sorted(range(len(samples)), key=lambda place: (-samples[place].n_words, place))
    places = [0] * len(samples)
    for index, number in enumerate(order):
        places[number] = index
    return places
