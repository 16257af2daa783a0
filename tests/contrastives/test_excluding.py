"""Excluding examples and including them again."""

import pytest

from annotation.models import AuditEvent, Contrastive
from annotation.services.contrastives.excluding import exclude_contrastives, include_again
from annotation.services.core.errors import NotFound
from tests.contrastives.factories import project_with_gold, store_contrastives
from tests.tasks.factories import make_people

pytestmark = pytest.mark.django_db


def test_an_excluded_example_no_longer_counts_until_it_is_included_again():
    project = project_with_gold(documents=1)
    first, *_others = store_contrastives(project)
    (person,) = make_people(1, project)
    assert exclude_contrastives(project=project, ids=[first.pk], by=person) == 1
    assert exclude_contrastives(project=project, ids=[first.pk], by=person) == 0
    first.refresh_from_db()
    assert first not in Contrastive.objects.active() and first.excluded_by == person
    assert include_again(project=project, ids=[first.pk], by=person) == 1
    first.refresh_from_db()
    assert first in Contrastive.objects.active() and first.excluded_by is None
    verbs = AuditEvent.objects.filter(project=project, verb__startswith="contrastives.").order_by("pk")
    assert list(verbs.values_list("verb", flat=True)) == ["contrastives.exclude", "contrastives.include"]


def test_examples_of_another_project_are_refused_and_nothing_changes():
    project, other = project_with_gold(documents=1), project_with_gold("other", documents=1)
    (contrastives, *_), (foreign, *_) = store_contrastives(project), store_contrastives(other)
    with pytest.raises(NotFound):
        exclude_contrastives(project=project, ids=[contrastives.pk, foreign.pk], by=None)
    assert not Contrastive.objects.exclude(state="active").exists()


def test_withdrawn_examples_stay_withdrawn():
    project = project_with_gold(documents=1)
    first, *_others = store_contrastives(project)
    Contrastive.objects.filter(pk=first.pk).update(state="withdrawn")
    assert exclude_contrastives(project=project, ids=[first.pk], by=None) == 0
    assert include_again(project=project, ids=[first.pk], by=None) == 0
    first.refresh_from_db()
    assert first.state == "withdrawn"
