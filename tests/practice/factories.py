"""Projects with a practice, and annotators who have tried it."""

from annotation.models import PracticeItem, Project, Role
from annotation.services.practice import items, progress, tries
from tests.tasks.factories import make_people, make_project

VALUES = {"length": "short", "extractiveness": "normal", "specificity": "normal"}
RIGHT = {
    "chosen": {"topic": {"needed": ["topic 2"], "also": ["topic 3"]}},
    "segments": {"needed": [1], "also": [0]},
    "length": {"low": 3, "high": 6},
}
REASON = "Only the topic of the request counts."
GOOD = {"chosen": {"topic": ["topic 2"]}, "segments": [0, 1], "text": "The ferry left late."}
BAD = {"chosen": {"topic": ["topic 1"]}, "segments": [0, 2], "text": "The ferry."}


def with_practice(
    slug: str = "news", *, n_items: int = 2, annotators: int = 1, on: bool = True, start: int = 1, **options
):
    """(project, annotators, an admin): items on its first source, which all ask for every part."""
    project = make_project(slug, **{"documents": 2, "groups": 1, "frozen": True, **options})
    people = make_people(annotators, project, start=start)
    (admin,) = make_people(1, project, Role.ADMIN, start=start)
    for _number in range(n_items):
        store_item(project, admin)
    if on:
        items.change_practice(project=project, by=admin, on=True)
    return project, people, admin


def store_item(project: Project, by, *, right=None, reason: str = REASON) -> PracticeItem:
    source = items.usable_sources(project).select_related("source_text")[0]
    return items.add_item(project=project, source=source, values=VALUES, right=right or RIGHT, reason=reason, by=by)


def load_items(project: Project) -> list[PracticeItem]:
    return list(progress.items_in_force(project))


def try_item(item: PracticeItem, person, answer=None, attempt: int = 1):
    return tries.submit_try(item=item, user=person, attempt=attempt, answer=answer or GOOD)


def fail_item(item: PracticeItem, person, answer=None) -> None:
    """Both tries are wrong."""
    for attempt in (1, 2):
        try_item(item, person, answer or BAD, attempt)


def pass_practice(project: Project, person) -> None:
    for item in load_items(project):
        try_item(item, person)


def ensure_practice(world) -> PracticeItem:
    """Made once for tests that name objects in addresses: an item; the practice is off."""
    item = PracticeItem.objects.filter(project=world.project).first()
    return item or store_item(world.project, world.people["admin"], right={"length": {"low": 1, "high": 9}})
