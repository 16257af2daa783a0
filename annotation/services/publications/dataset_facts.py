"""Gathers what the project knows about a dataset that is published, for its card, datasheet and description."""

from collections import Counter
from datetime import UTC
from typing import Any

from django.db.models import Count
from django.utils import timezone

from annotation.models import ConsentVersion, GuidelineVersion, HitDecision, Project, Publication, Release
from annotation.services.core.withdrawn_people import list_withdrawals
from annotation.services.exports.manifests import software_version
from annotation.services.publications.publications import describe
from annotation.services.publications.row_counts import RowCounts
from epitome.publication.facts import AttributeFacts, DatasetFacts


def preview_facts(publication: Publication) -> DatasetFacts:
    """What is known before it is written: the numbers of the last check and the decisions so far, without files."""
    counts = RowCounts.from_dict(publication.checks.get("counts", {}))
    decided = publication.hits.exclude(decision=HitDecision.OPEN).order_by().values_list("kind", "decision")
    for kind, decision, number in decided.annotate(n=Count("pk")):
        counts.hits.setdefault(kind, Counter())[decision] = number
    return gather_facts(publication, counts)


def _find_day(release: Release | None) -> str:
    """The day (UTC) on which the release was frozen: a later writing gives the same bytes. Before that, today."""
    return (release.created_at if release is not None else timezone.now()).astimezone(UTC).date().isoformat()


def gather_facts(publication: Publication, written: RowCounts) -> DatasetFacts:
    project = publication.project
    release = publication.release
    return DatasetFacts(
        slug=project.slug,
        tag=publication.tag,
        language=project.language,
        domain=project.domain,
        kind=project.kind,
        preset=project.preset,
        description=describe(publication),
        software=software_version(),
        published_on=_find_day(release),
        files=written.files,
        attributes=list_attributes(project),
        licences=dict(written.licences),
        n_sources=written.n_sources,
        n_summaries=written.n_summaries,
        n_words=written.n_words,
        n_withheld=written.n_withheld,
        n_annotators=len(written.annotators),
        n_imported=written.n_imported,
        overlap=project.overlap,
        n_guideline_versions=GuidelineVersion.objects.filter(project=project).count(),
        n_inspected=written.n_inspected,
        first_day=min(written.days, default=""),
        last_day=max(written.days, default=""),
        uses_consent=ConsentVersion.objects.filter(project=project).exists(),
        n_withdrawals=len(list_withdrawals(project)),
        pays=project.pay_per_hour is not None,
        samplers=sorted(name for name in written.samplers if name),
        split_seed=release.split_seed if release is not None else None,
        hits={kind: dict(decisions) for kind, decisions in written.hits.items()},
        checks=_without_rows(publication),
        n_left_out=written.n_left_out,
    )


def _without_rows(publication: Publication) -> dict[str, Any]:
    checks = {name: value for name, value in publication.checks.items() if name not in ("leave", "counts")}
    return {**checks, "leaks_decision": publication.choices.get("leaks", "")} if checks else {}


def list_attributes(project: Project) -> list[AttributeFacts]:
    """The control attributes of the newest schema."""
    return [
        AttributeFacts(
            attribute.key, attribute.label, attribute.guide, [attribute.value_label(v) for v in attribute.values]
        )
        for attribute in project.schema_version.schema.attributes
    ]
