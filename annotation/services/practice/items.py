"""Practice items: staff add, change and remove them, and say whether annotators must practise and when they pass."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Exists, Max, OuterRef, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.kinds import PayloadRefused, get_task_kind
from annotation.kinds.checks import is_blank, normalize_text
from annotation.models import AuditVerb, Candidate, PracticeItem, Project, Sample, SourceDocument
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict, NotFound
from annotation.services.core.retry import retry_on_contention
from annotation.services.practice import progress
from annotation.services.practice.right_answers import CHOSEN, check_right, check_values
from annotation.services.tasks import task_context
from annotation.transactions import write_transaction
from epitome.candidates.weak import leave_out_weak

MAX_ITEMS = 10
MAX_REASON = 4_000


def offers_practice(project: Project) -> bool:
    """Whether annotators of this project write summaries, so that there is something to practise."""
    return get_task_kind(project.kind, has_sample=True).summarizes


def usable_sources(project: Project) -> QuerySet[SourceDocument]:
    """Sources that an item can be made of, in the order of their import; `has_samples`: annotators may get them."""
    rows = SourceDocument.objects.usable().filter(project=project).order_by("pk")
    return rows.annotate(has_samples=Exists(Sample.objects.requests().filter(document=OuterRef("pk"))))


def get_source(project: Project, **by: Any) -> SourceDocument:
    """A usable source with its text, by `public_id` or `external_id`. Raises NotFound."""
    source = usable_sources(project).select_related("source_text").filter(**by).first()
    if source is None:
        raise NotFound(_("There is no such source."))
    return source


def get_item(project: Project, public_id: Any) -> PracticeItem:
    """An item in force. Raises NotFound for any other."""
    item = progress.items_in_force(project).filter(public_id=public_id).first()
    if item is None:
        raise NotFound()
    return item


def list_choices(item: PracticeItem, key: str) -> list[str]:
    """What is offered for an attribute of an item: the source's candidates and the right answers, in alphabetical
    order, so that the place says nothing."""
    schema = item.project.schema_version.schema
    attribute = schema.find(key)
    sets = item.right[CHOSEN][key]
    rows = Candidate.objects.filter(document=item.document_id).order_by("rank").values("text", "kind")
    if attribute is not None and attribute.traits.picks_speakers:
        texts = [segment.get("speaker") or "" for segment in item.document.source_text.segments]
    else:
        topics = [{"text": row["text"]} for row in rows if row["kind"] == Candidate.Kind.TOPIC]
        texts = [row["text"] for row in leave_out_weak(topics, schema.language)[: task_context.SHOWN_TOPICS]]
    offered = {text for text in (*texts, *sets["needed"], *sets["also"]) if text}
    return sorted(offered, key=lambda text: (text.casefold(), text))


@retry_on_contention(unique_keys=True)
def add_item(
    *, project: Project, source: SourceDocument, values: Any, right: Any, reason: str, by: AbstractBaseUser
) -> PracticeItem:
    """Add an item. Raises BadInput for values or right answers that do not fit, Conflict if there are enough."""
    if not offers_practice(project):
        raise Conflict(_("There is practice only where annotators write summaries."), code="kind")
    checked = _check_item(project, source, values, right, reason)
    with write_transaction():
        progress.lock_project(project)
        if progress.items_in_force(project).count() >= MAX_ITEMS:
            raise Conflict(_("A practice has at most %(n)d items.") % {"n": MAX_ITEMS}, code="toomany")
        last: int = PracticeItem.objects.filter(project=project).aggregate(last=Max("number"))["last"] or 0
        item = _store_item(project, source, number=last + 1, version=1, checked=checked, by=by)
        _record_change(AuditVerb.PRACTICE_ADD_ITEM, item, by)
    return item


@retry_on_contention(unique_keys=True)
def change_item(*, item: PracticeItem, values: Any, right: Any, reason: str, by: AbstractBaseUser) -> PracticeItem:
    """Retire an item and put its next version in its place. Tries already made keep the version they answered.

    Raises BadInput as `add_item`, Conflict if the item was changed meanwhile.
    """
    checked = _check_item(item.project, item.document, values, right, reason)
    with write_transaction():
        progress.lock_project(item.project)
        _retire_item(item)
        new_item = _store_item(
            item.project, item.document, number=item.number, version=item.version + 1, checked=checked, by=by
        )
        _record_change(AuditVerb.PRACTICE_CHANGE_ITEM, new_item, by)
    return new_item


@retry_on_contention()
def remove_item(*, item: PracticeItem, by: AbstractBaseUser) -> None:
    """Remove an item; who passes without it may continue. Raises Conflict for the last one while practice is on."""
    with write_transaction():
        locked = progress.lock_project(item.project)
        _retire_item(item)
        if locked.needs_practice and not progress.items_in_force(locked).exists():
            raise Conflict(_("This is the last item. Turn off the practice first."), code="last")
        _record_change(AuditVerb.PRACTICE_REMOVE_ITEM, item, by)
        progress.pass_finished(locked)


@retry_on_contention()
def change_practice(
    *, project: Project, by: AbstractBaseUser, on: bool | None = None, share: float | None = None
) -> None:
    """Require the practice before tasks, or stop requiring it; set the share of items to pass. None: as it is.

    Raises BadInput for a share that is none, Conflict when there is no item.
    """
    if share is not None and not 0 <= share <= 1:
        raise BadInput(_("Give a share from 0 to 1."), field="share")
    with write_transaction():
        locked = progress.lock_project(project)
        if on and not progress.items_in_force(project).exists():
            raise Conflict(_("Add a practice item first."), code="noitems")
        target = f"project:{project.public_id}"
        if on is not None and on != locked.needs_practice:
            verb = AuditVerb.PRACTICE_ON if on else AuditVerb.PRACTICE_OFF
            audit.record_event(project=project, actor=by, verb=verb, target=target)
        if share is not None and share != locked.practice_share:
            audit.record_event(project=project, actor=by, verb=AuditVerb.PRACTICE_SHARE, target=target, share=share)
        locked.needs_practice = locked.needs_practice if on is None else on
        locked.practice_share = locked.practice_share if share is None else share
        locked.save(update_fields=["needs_practice", "practice_share"])
        progress.pass_finished(locked)
    project.needs_practice, project.practice_share = locked.needs_practice, locked.practice_share


def _check_item(project: Project, source: SourceDocument, values: Any, right: Any, reason: str) -> dict[str, Any]:
    schema = project.schema_version.schema
    try:
        checked = {
            "values": check_values(values, schema),
            "right": check_right(right, schema=schema, segments=source.source_text.segments),
            "reason": normalize_text(reason, "reason", MAX_REASON).strip(),
        }
    except PayloadRefused as error:
        task_context.raise_bad_input(error)
    if is_blank(str(checked["reason"])):
        raise BadInput(_("Say in words why the answer is right."), field="reason")
    return checked


def _store_item(
    project: Project,
    source: SourceDocument,
    *,
    number: int,
    version: int,
    checked: dict[str, Any],
    by: AbstractBaseUser,
) -> PracticeItem:
    return PracticeItem.objects.create(
        project=project,
        document=source,
        number=number,
        version=version,
        created_by_id=by.pk,
        created_at=timezone.now(),
        **checked,
    )


def _retire_item(item: PracticeItem) -> None:
    rows = PracticeItem.objects.filter(pk=item.pk, retired_at=None)
    if not rows.update(retired_at=timezone.now()):
        raise Conflict(_("Somebody else has changed or removed this item. Open it again."), code="stale")


def _record_change(verb: AuditVerb, item: PracticeItem, by: AbstractBaseUser) -> None:
    audit.record_event(
        project=item.project, actor=by, verb=verb, target=f"practice-item:{item.public_id}", number=item.number
    )
