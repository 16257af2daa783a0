"""What a withdrawal removes from contrastive examples: every text made from one of the person's summaries.

The rows stay, so that counts and results hold; they are withdrawn and hold neither text nor edits.
"""

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from annotation.models import Annotation, Contrastive, ContrastiveState
from annotation.services.withdrawal.texts import TEXT_HOLDERS, Holder, Projects
from annotation.transactions import write_transaction

ROWS = 2000


def _made_from(projects: Projects, person: int) -> "QuerySet[Contrastive]":
    rows = Contrastive.objects.filter(project__in=projects, annotation__assignment__annotator=person)
    return rows.exclude(state=ContrastiveState.WITHDRAWN)


def empty_examples(projects: Projects, person: int) -> None:
    """Locks the summaries first: a run that makes examples of them locks them too, so that none comes afterwards."""
    golds = Annotation.objects.filter(project__in=projects, assignment__annotator=person)
    with write_transaction():
        list(golds.select_for_update(of=("self",), no_key=True).order_by("pk").values_list("pk"))
        rows = list(_made_from(projects, person).order_by("pk").only("pk"))
        for row in rows:
            row.state, row.text, row.edits, row.from_source = ContrastiveState.WITHDRAWN, "", [], None
            row.text_key = f"withdrawn:{row.pk}"
        Contrastive.objects.bulk_update(rows, ["state", "text", "edits", "from_source", "text_key"], batch_size=ROWS)


TEXT_HOLDERS.register(
    Holder(
        "contrastives",
        _("contrastive examples made from the summaries"),
        lambda p, who: _made_from(p, who).count(),
        empty_examples,
    )
)
