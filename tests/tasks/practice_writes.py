"""The writes of the practice that no call of the access table makes, by name, as tests/tasks/all_writes.py has them."""

from collections.abc import Callable
from typing import Any

from annotation.services.practice import decisions, items, tries
from tests.practice.factories import ensure_practice
from tests.tasks.factories import make_people

Work = Callable[[], Any]


def started(world: Any) -> Any:
    """The item; the practice is on."""
    item = ensure_practice(world)
    items.change_practice(project=world.project, by=world.people["admin"], on=True)
    return item


def item_tried(world: Any) -> Work:
    """The only item, so that the try passes the practice too."""
    item = started(world)
    (person,) = make_people(1, world.project, start=96)
    return lambda: tries.submit_try(item=item, user=person, attempt=1, answer={"text": "Two words."})


def practice_reset(world: Any) -> Work:
    item = started(world)
    (person,) = make_people(1, world.project, start=97)
    tries.submit_try(item=item, user=person, attempt=1, answer={"text": "Two words."})
    return lambda: decisions.reset_practice(project=world.project, person=person, by=world.people["admin"])


PRACTICE_WRITES: dict[str, Callable[[Any], Work]] = {
    "practice item tried": item_tried,
    "practice reset": practice_reset,
}
