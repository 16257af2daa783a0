"""What must hold after any amount of claiming, whoever raced whom: counted with SQL, 0 is right."""

from typing import Any


def faults(project: Any) -> dict[str, int]:
    """doubled: somebody twice on a sample, two live attempts or two first revisions in one place. over: more live
    attempts than the overlap. torn: a slot whose state is not what its attempts say, or a claim that does not close."""
    from django.db.models import Count, Exists, F, OuterRef

    from annotation.models import Annotation, Assignment, Claim, Slot

    mine = Assignment.objects.filter(project=project)
    slots = Slot.objects.filter(project=project)
    live = Assignment.objects.live().filter(slot=OuterRef("pk"))
    claimed = live.filter(state="claimed")
    assignments = Assignment.objects.filter(claim=OuterRef("pk"), state="claimed")
    claims = Claim.objects.filter(project=project)

    def more_than_once(rows: Any, *fields: str) -> int:
        return rows.values(*fields).annotate(n=Count("pk")).filter(n__gt=1).count()

    written = Annotation.objects.filter(project=project, origin="person")
    return {
        "doubled_people": more_than_once(mine, "sample", "group", "annotator"),
        "doubled_slots": more_than_once(mine.live(), "slot"),
        "doubled_annotations": more_than_once(written, "assignment", "revision"),
        "over_quota": mine.live()
        .filter(sample__isnull=False)
        .values("sample")
        .annotate(n=Count("pk"))
        .filter(n__gt=F("project__overlap"))
        .count(),
        "torn_slots": slots.filter(state="taken").exclude(Exists(claimed)).count()
        + slots.filter(state="filled").exclude(Exists(live)).count()
        + slots.filter(state__in=["open", "waiting", "parked"]).filter(Exists(live)).count(),
        "torn_claims": claims.filter(closed_at=None).exclude(Exists(assignments)).count()
        + claims.exclude(closed_at=None).filter(Exists(assignments)).count(),
        "without_text": mine.filter(state__in=["submitted", "surplus"], annotations=None).count(),
        "surplus_unmarked": written.exclude(surplus=True).filter(assignment__state="surplus").count(),
    }
