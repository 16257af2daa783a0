"""How many sources of a project an export cannot fully release: without a licence, or without permission."""

from typing import NamedTuple

from django.db.models import Count, Q

from annotation.models import Project, SourceDocument


class SourcePermissions(NamedTuple):
    """without_licence: sources that name no licence; unlicensed_texts: those of them whose texts are exported all the
    same; withheld: sources whose texts exports leave out."""

    without_licence: int
    unlicensed_texts: int
    withheld: int


def count_permissions(project: Project) -> SourcePermissions:
    unlicensed = Q(licence="")
    counts = SourceDocument.objects.filter(project=project).aggregate(
        without_licence=Count("pk", filter=unlicensed),
        unlicensed_texts=Count("pk", filter=unlicensed & Q(may_release_text=True)),
        withheld=Count("pk", filter=Q(may_release_text=False)),
    )
    return SourcePermissions(**counts)
