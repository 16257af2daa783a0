"""A round that shows the first and the last draft of a system that refines, side by side and blind."""

import secrets

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _

from annotation.transactions import write_transaction
from epitome.rounds.templates import load_template
from epitome.rounds.writing import Sketch, build_toml
from evaluation.models import Round
from evaluation.services.rounds.launch import make_draft
from modelbridge.models import Run
from modelbridge.services.runs.first_drafts import make_first_drafts

TEMPLATE = "pairwise-preference"
FIRST, LAST = "first-draft", "last-draft"


def draft_pair_round(*, run: Run, by: AbstractBaseUser | None) -> Round:
    """The design of a round of pairs over the samples whose first draft was changed, to be checked and launched. Raises
    Conflict, BadInput as make_first_drafts."""
    template = load_template(TEMPLATE)
    with write_transaction():
        drafts = make_first_drafts(run=run, by=by)
        sketch = Sketch(
            name=_free_name(run, _("%(name)s: first and last draft") % {"name": run.revision.system.name}),
            template=TEMPLATE,
            n=min(template.n, drafts.n_samples),
            raters_per_item=template.raters_per_item,
            seed=secrets.randbelow(2**31),
            gold=False,
            runs=[(str(drafts.public_id), FIRST), (str(run.public_id), LAST)],
        )
        return make_draft(project=run.project, text=build_toml(sketch), by=by)


def _free_name(run: Run, name: str) -> str:
    """The name, with a number where the project has such a round."""
    known = set(Round.objects.filter(project=run.project).values_list("name", flat=True))
    numbered = (f"{name[:90]} {number}" for number in range(2, len(known) + 3))
    return next(free for free in (name[:90], *numbered) if free not in known)
