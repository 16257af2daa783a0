"""A recorded random selection of sources: the same seed over the same ids selects the same ones."""

import hashlib

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import AuditVerb, Project, SourceDocument, SourceSelection
from annotation.services.core import audit
from annotation.services.core.errors import BadInput
from annotation.transactions import write_transaction

ALGORITHM = "sha256-rank@1"
CHUNK = 500


def rank_ids(external_ids: list[str], seed: int) -> list[str]:
    """The ids in a random order that depends on the seed and each id alone, not on the table's order.

    So a larger n with the same seed keeps what a smaller one chose.
    """
    return sorted(external_ids, key=lambda text: (hashlib.sha256(f"{seed}:{text}".encode()).digest(), text))


def select_sources(*, project: Project, n: int, seed: int, by: AbstractBaseUser | None) -> SourceSelection:
    """Select n of the project's undamaged sources and deselect the others; nothing is deleted.

    Samples that exist already stay. Raises BadInput when n is below 1 or above what there is.
    """
    if not -(2**63) <= seed < 2**63:
        raise BadInput(_("The seed must be a whole number of at most 63 bits."), field="seed")
    with write_transaction():
        ids = dict(
            SourceDocument.objects.filter(project=project, damaged=False).values_list("external_id", "pk").order_by()
        )
        if not 1 <= n <= len(ids):
            message = ngettext(
                "Cannot select %(n)d of %(have)d usable source.",
                "Cannot select %(n)d of %(have)d usable sources.",
                len(ids),
            )
            raise BadInput(message % {"n": n, "have": len(ids)}, field="n")
        chosen = sorted(rank_ids(list(ids), seed)[:n])
        SourceDocument.objects.filter(project=project, selected=True).update(selected=False)
        for start in range(0, n, CHUNK):
            pks = [ids[text] for text in chosen[start : start + CHUNK]]
            SourceDocument.objects.filter(pk__in=pks).update(selected=True)
        selection = SourceSelection.objects.create(
            project=project,
            seed=seed,
            n=n,
            algorithm=ALGORITHM,
            ids_hash=hashlib.sha256("\n".join(sorted(ids)).encode()).hexdigest(),
            chosen=chosen,
            created_by_id=by.pk if by is not None else None,
        )
        audit.record_event(
            project=project,
            actor=by,
            verb=AuditVerb.SOURCE_SELECT,
            target=f"project:{project.public_id}",
            n=n,
            seed=seed,
        )
    return selection
