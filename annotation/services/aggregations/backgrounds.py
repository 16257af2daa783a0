"""Backgrounds of entities: rows per name, filled from files and by staff, and copied into the instances they are for.

An instance keeps what its annotators read. A changed background reaches instances that nobody has started.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from uuid import UUID

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Count, Exists, OuterRef, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import (
    AggregationInstance,
    Assignment,
    AuditVerb,
    BackgroundOrigin,
    BackgroundState,
    EntityBackground,
    Project,
    Sample,
    SampleState,
    Slot,
    SlotState,
)
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, NotFound
from annotation.transactions import write_transaction
from epitome.aggregations.backgrounds import (
    MAX_EXTRACT,
    MAX_TITLE,
    MAX_URL,
    Background,
    BadBackgrounds,
    cut_background,
    is_web_address,
    read_backgrounds,
)

FILLED_FIELDS = ("title", "url", "text", "tokens", "state", "origin", "changed_by", "changed_at")
InstanceLink = EntityBackground.instances.through


def read_file(lines: Iterable[bytes], file_name: str) -> dict[str, Background]:
    """The backgrounds of a JSONL file by name. Raises BadInput naming file, line and field."""
    try:
        return read_backgrounds(lines)
    except BadBackgrounds as error:
        raise BadInput(f"{file_name}: {error}", field="file") from error


def get_or_create_rows(
    project: Project,
    names: Collection[str],
    given: Mapping[str, Background],
    origin: BackgroundOrigin = BackgroundOrigin.FILE,
) -> dict[str, EntityBackground]:
    """The rows of names, new ones with the given text, inside a transaction that locks the project."""
    rows = {row.name: row for row in EntityBackground.objects.filter(project=project, name__in=names)}
    new = [EntityBackground(project=project, name=name) for name in sorted(names) if name not in rows]
    for row in new:
        if row.name in given:
            _fill_row(row, given[row.name], origin)
    rows |= {row.name: row for row in EntityBackground.objects.bulk_create(new, batch_size=500)}
    return rows


def link_instances(instances: Sequence[AggregationInstance], rows: Mapping[str, EntityBackground]) -> None:
    """Remember which instances hold which names, inside a transaction."""
    InstanceLink.objects.bulk_create(
        [
            InstanceLink(entitybackground_id=rows[entity["name"]].pk, aggregationinstance_id=instance.pk)
            for instance in instances
            for entity in instance.entities
        ],
        batch_size=1000,
    )


def list_backgrounds(project: Project, *, only_to_do: bool = False) -> "QuerySet[EntityBackground]":
    """All names, by name, or those that wait for a background; `n_instances`: instances with it."""
    rows = EntityBackground.objects.filter(project=project)
    return (
        (rows.to_do() if only_to_do else rows)
        .annotate(n_instances=Count("instances"))
        .order_by("name")
        .select_related("changed_by")
    )


def count_missing(project: Project) -> int:
    """Names that wait for a background."""
    return EntityBackground.objects.filter(project=project).to_do().count()


def get_background(project: Project, public_id: UUID) -> EntityBackground:
    row = list_backgrounds(project).filter(public_id=public_id).first()
    if row is None:
        raise NotFound()
    return row


def fill_backgrounds(
    *,
    project: Project,
    given: Mapping[str, Background],
    by: AbstractBaseUser | None,
    origin: BackgroundOrigin = BackgroundOrigin.FILE,
) -> int:
    """Fill the names without a background; returns how many were filled. Texts that are there already stay."""
    with write_transaction():
        Project.objects.select_for_update().get(pk=project.pk)
        rows = [row for row in EntityBackground.objects.filter(project=project).to_do() if row.name in given]
        rows = [row for row in rows if given[row.name].text]
        for row in rows:
            _fill_row(row, given[row.name], origin)
            row.changed_by_id = by.pk if by else None
        if not rows:
            return 0
        EntityBackground.objects.bulk_update(rows, FILLED_FIELDS, batch_size=200)
        refreshed = _refresh_instances(rows)
        audit.record_event(
            project=project,
            actor=by,
            verb=AuditVerb.BACKGROUND_FILL,
            target=f"project:{project.public_id}",
            backgrounds=len(rows),
            instances=refreshed,
        )
    return len(rows)


def change_background(
    *, background: EntityBackground, title: str, url: str, text: str, by: AbstractBaseUser | None
) -> int:
    """Set what staff typed; returns the number of instances that show it from now on. A title without a text is looked
    up by the next run of `extract_tuples --wikipedia`. Raises BadInput naming the field."""
    for field, value, longest in (("title", title, MAX_TITLE), ("url", url, MAX_URL), ("text", text, MAX_EXTRACT)):
        if len(value) > longest:
            raise BadInput(_("This is too long; the limit in characters is %(n)d.") % {"n": longest}, field=field)
    if url and not is_web_address(url):
        raise BadInput(_("A link begins with https:// or http://."), field="url")
    kept_text, tokens = cut_background(text)
    typed = Background(background.name, " ".join(title.split()), url.strip(), kept_text, tokens)
    with write_transaction():
        row = EntityBackground.objects.select_for_update(of=("self",)).get(pk=background.pk)
        _fill_row(row, typed, BackgroundOrigin.STAFF)
        row.changed_by_id = by.pk if by else None
        row.save(update_fields=FILLED_FIELDS)
        refreshed = _refresh_instances([row])
        audit.record_event(
            project=row.project,
            actor=by,
            verb=AuditVerb.BACKGROUND_CHANGE,
            target=f"background:{row.public_id}",
            instances=refreshed,
        )
    return refreshed


def drop_entity(*, background: EntityBackground, by: AbstractBaseUser | None) -> int:
    """Drop an entity: all samples with it become void, their free tasks are withdrawn; what was written stays and
    counts as void. Returns the number of samples that became void."""
    with write_transaction():
        row = EntityBackground.objects.select_for_update(of=("self",)).get(pk=background.pk)
        samples = Sample.objects.filter(instance__backgrounds=row, state=SampleState.ACTIVE)
        ids = list(samples.select_for_update(of=("self",)).order_by("pk").values_list("pk", flat=True))
        Sample.objects.filter(pk__in=ids).update(state=SampleState.VOID)
        parked = Slot.objects.free().filter(sample__in=ids).update(state=SlotState.PARKED)
        EntityBackground.objects.filter(pk=row.pk).update(
            state=BackgroundState.DROPPED, changed_by_id=by.pk if by else None, changed_at=timezone.now()
        )
        audit.record_event(
            project=row.project,
            actor=by,
            verb=AuditVerb.BACKGROUND_DROP,
            target=f"background:{row.public_id}",
            samples=len(ids),
            slots=parked,
        )
    return len(ids)


def _fill_row(row: EntityBackground, background: Background, origin: BackgroundOrigin) -> None:
    """Set the fields of a row. Without a text it has no origin: it was never looked up."""
    row.title, row.url, row.text, row.tokens = background.title, background.url, background.text, background.tokens
    row.state = BackgroundState.FOUND if background.text else BackgroundState.MISSING
    row.origin = origin if background.text else ""
    row.changed_at = timezone.now()


def _refresh_instances(rows: Sequence[EntityBackground]) -> int:
    """Copy backgrounds into the instances that nobody has started, inside a transaction; returns how many."""
    row_by_name = {row.name: row for row in rows}
    begun = Exists(Assignment.objects.filter(sample=OuterRef("sample")))
    linked = InstanceLink.objects.filter(entitybackground__in=rows).values("aggregationinstance")
    instances = list(AggregationInstance.objects.filter(~begun, pk__in=linked).order_by("pk").only("pk", "entities"))
    for instance in instances:
        for entity in instance.entities:
            row = row_by_name.get(entity["name"])
            if row is not None:
                entity |= {"url": row.url, "background": row.text, "background_tokens": row.tokens}
    AggregationInstance.objects.bulk_update(instances, ["entities"], batch_size=200)
    return len(instances)
