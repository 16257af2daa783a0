"""Runs in the search, by their label or by the key or name of their system, for people who may see them."""

from collections.abc import Iterable

from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy

from annotation.services.core import access
from annotation.views.search.kinds import HITS_PER_KIND, Asker, Hit, register_kind
from modelbridge.models import Run


@register_kind("runs", gettext_lazy("Runs"), order=8)
def find_runs(asker: Asker) -> Iterable[Hit]:
    if asker.project is None or not {role.value for role in access.MAKERS} & asker.roles:
        return []
    of_system = Q(revision__system__name__icontains=asker.text) | Q(revision__system__key__icontains=asker.text)
    rows = Run.objects.listed().filter(Q(label__icontains=asker.text) | of_system, project=asker.project)
    rows = rows.select_related("revision__system").order_by("-pk")[:HITS_PER_KIND]
    return [
        Hit(str(run), str(run.get_state_display()), reverse("run", args=[asker.project.slug, run.public_id]))
        for run in rows
    ]
