"""Rounds whose raters disagree, with a rater who has rated nothing yet."""

from django.contrib.auth.models import User

from annotation.models import Role
from evaluation.models import ItemAssignment, Round
from evaluation.services.monitoring import extra_ratings
from evaluation.services.rating import answers as rating_answers
from tests.rounds.factories import answers_for, launch_new_round, make_run, project_with_gold, rate_all
from tests.tasks.factories import make_people


def disagreeing(
    slug: str = "news",
    *,
    most: int = 20,
    template: str = "macsum-yes-no",
    n: int = 3,
    first: str = "yes",
    second: str = "no",
    rated: int = 2,
    more: str = "",
) -> tuple[Round, list[User]]:
    """A round of two targets with three raters, of whom the first two (or fewer) have rated every item; most: the cap
    of additional ratings, 0 for none."""
    project = project_with_gold(slug)
    make_run(project, "lead")
    raters = make_people(3, project, Role.RATER, start=1 + User.objects.count())
    head = f"extra_ratings = {most}" if most else ""
    round_ = launch_new_round(project, template=template, n=n, head=head, more=f'[[target]]\nsystem = "lead"\n{more}')
    for rater, answer in list(zip(raters, (first, second), strict=False))[:rated]:
        rate_all(round_, rater, answer)
    return round_, raters


def request_more(made: Round) -> tuple[int, int]:
    """(items that raters disagree on, requested now)."""
    return tuple(extra_ratings.request_extra_ratings(round_=made, by=None))


def rate_one(view: ItemAssignment, answer: str) -> None:
    rating_answers.save_answers(assignment=view, payload=answers_for(view, answer), finish=True)
