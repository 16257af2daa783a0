"""The check of a publication: licences, personal data, splits and duplicates, in one reading of its rows."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone

from annotation.jobs import NoProgress, Progress
from annotation.models import AuditVerb, Publication, PublicationHit
from annotation.services.core import audit
from annotation.services.exports.export_plan import ExportOptions, Plan, plan_export
from annotation.services.publications.personal_hits import FoundHit, HitFinder, HitKey
from annotation.services.publications.published_units import lacks_licence, read_published_units
from annotation.services.publications.row_counts import RowCounts
from annotation.services.publications.split_checks import SplitChecks
from annotation.transactions import write_transaction

BATCH = 1_000
KEY_COLUMNS = HitKey._fields


def plan_publication(publication: Publication, *, by: AbstractBaseUser | None = None) -> Plan:
    """The plan of its release, which is frozen where it is not yet."""
    options = ExportOptions(release=publication.tag)
    if publication.release_id is None:
        state, split_seed = publication.options.get("state"), publication.options.get("split_seed")
        options = ExportOptions(release=publication.tag, state=state, split_seed=split_seed)
    plan = plan_export(publication.project, options, freeze=True, by=by)
    if publication.release_id is None:
        with write_transaction():
            Publication.objects.filter(pk=publication.pk).update(release=plan.release)
        publication.release = plan.release
    return plan


def check_publication(
    *, publication: Publication, by: AbstractBaseUser | None = None, progress: Progress | None = None
) -> dict[str, Any]:
    """Read all rows and store what is found; returns the stored checks. Decisions about places that are found again
    stay. Raises Conflict where the release was frozen with other options."""
    progress = progress or NoProgress()
    plan = plan_publication(publication, by=by)
    splits, finder, counts = SplitChecks(), HitFinder(publication.project.export_salt), RowCounts()
    n_unlicensed, split_names = 0, set[str]()
    total = publication.project.documents.count()
    new_hits: list[FoundHit] = []
    for number, unit in enumerate(read_published_units(publication.project, plan), 1):
        splits.add(unit)
        counts.count(unit)
        n_unlicensed += lacks_licence(unit.source)
        split_names.update({unit.source["split"], *(line["split"] for line in unit.lines)})
        new_hits.extend(finder.find(unit))
        progress.set(number, total)
    checks = {
        **splits.report(),
        "splits": sorted(split_names),
        "sources": counts.n_sources,
        "summaries": counts.n_summaries,
        "licences": dict(sorted(counts.licences.items())),
        "unlicensed": n_unlicensed,
        "withheld": counts.n_withheld,
        "counts": counts.as_dict(),
    }
    _store(publication, new_hits, checks, by)
    return checks


def _store(
    publication: Publication, found: list[FoundHit], checks: dict[str, Any], by: AbstractBaseUser | None
) -> None:
    kind_by_key = {hit.key: hit.kind for hit in found}
    with write_transaction():
        # A concurrent check waits for this lock, and then finds the hits of this one.
        Publication.objects.select_for_update().get(pk=publication.pk)
        stored = {
            HitKey(*row[1:]): row[0]
            for row in PublicationHit.objects.filter(publication=publication).values_list("pk", *KEY_COLUMNS)
        }
        gone = [pk for key, pk in stored.items() if key not in kind_by_key]
        for pks in _batched(gone):
            PublicationHit.objects.filter(pk__in=pks).delete()
        new = (
            PublicationHit(publication=publication, kind=kind, **key._asdict())
            for key, kind in kind_by_key.items()
            if key not in stored
        )
        PublicationHit.objects.bulk_create(new, batch_size=BATCH)
        publication.checks, publication.checked_at = checks, timezone.now()
        Publication.objects.filter(pk=publication.pk).update(checks=checks, checked_at=publication.checked_at)
        audit.record_event(
            project=publication.project,
            actor=by,
            verb=AuditVerb.PUBLICATION_CHECK,
            target=f"publication:{publication.public_id}",
            hits=len(kind_by_key),
            leaks=checks["leaks"],
            unlicensed=checks["unlicensed"],
        )


def _batched(pks: Iterable[int]) -> Iterator[list[int]]:
    rest = iter(pks)
    while batch := list(islice(rest, BATCH)):
        yield batch
