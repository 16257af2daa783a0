"""A small set of contrastive examples for example projects."""

from annotation.models import ContrastiveSet, Project
from annotation.services.contrastives.making import make_contrastives
from annotation.services.contrastives.set_options import SetOptions
from annotation.services.contrastives.sets import find_current_set

GOLDS = 20
PER_GOLD = 12


def add_example_set(project: Project) -> ContrastiveSet:
    """Make a few examples of a few golds, unless the project has a set; returns the set. Raises BadInput without
    golds."""
    if find_current_set(project) is None:
        make_contrastives(project=project, options=SetOptions(n=GOLDS, per_gold=PER_GOLD))
    return ContrastiveSet.objects.get(project=project, replaced_at=None)
