"""How far a run is: for its page, the API and a terminal."""

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import BigIntegerField, Count, Min, Q, Sum
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.services.core.word_patterns import join_names
from epitome.figures.numbers import format_decimal, format_money
from modelbridge.models import OutputState, Run, RunState
from modelbridge.models.runs import CUT_OFF

WINDOW = timedelta(seconds=60)
"""The rate of an active run is measured over the last minute."""
MAX_ERRORS = 20


@dataclass(frozen=True)
class RunProgress:
    """Counts of a run's samples. rate: samples per second, None if unknown. cost: as reported by the systems, in
    the currency of their configuration. tokens_in, tokens_out: of prompts and answers, as the models
    and chat servers count them. cut_off: outputs that ran out of max_tokens. errors: reason -> how many, most first."""

    state: str
    total: int
    done: int
    failed: int
    waiting: int
    in_work: int
    rate: float | None
    cost: float
    tokens_in: int
    tokens_out: int
    seconds: float
    flagged: int
    truncated: int
    cut_off: int
    error: str
    errors: list[dict[str, Any]]

    @property
    def ended(self) -> bool:
        return self.state not in RunState.UNDER_WAY

    @property
    def note(self) -> str:
        """Speed, failures and cost on one line."""
        notes = [_("%(n)s samples/s") % {"n": format_decimal(self.rate, 2)} if self.rate else ""]
        notes += [_("%(n)d failed") % {"n": self.failed} if self.failed else ""]
        notes += [_("cost %(n)s") % {"n": format_money(self.cost)} if self.cost else ""]
        return join_names(filter(None, notes))

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def progress_of(run: Run) -> RunProgress:
    """The current progress of a run, in three queries."""
    run.refresh_from_db(fields=["state", "error", "started_at", "finished_at"])
    states = OutputState
    counts = run.outputs.aggregate(
        done=Count("pk", filter=Q(state=states.DONE)),
        failed=Count("pk", filter=Q(state=states.FAILED)),
        waiting=Count("pk", filter=Q(state=states.WAITING)),
        in_work=Count("pk", filter=Q(state=states.LEASED)),
        flagged=Count("pk", filter=~Q(flags=[]) & Q(state=states.DONE)),
        truncated=Count("pk", filter=Q(truncated__gt=0)),
        cut_off=Count("pk", filter=CUT_OFF),
        cost=Sum("cost"),
        seconds=Sum("seconds"),
        first=Min("finished_at"),
        **_token_sums(run),
    )
    first = counts.pop("first")
    errors = run.outputs.filter(state=states.FAILED).values("error").annotate(n=Count("pk")).order_by("-n", "error")
    return RunProgress(
        state=run.state,
        total=run.n_samples,
        rate=_samples_per_second(run, counts["done"] + counts["failed"], first),
        error=run.error,
        tokens_in=counts.pop("tokens_in", 0) or 0,
        tokens_out=counts.pop("tokens_out", 0) or 0,
        errors=[dict(row) for row in errors[:MAX_ERRORS]],
        **{name: value or 0 for name, value in counts.items()},
    )


def _token_sums(run: Run) -> dict[str, Sum]:
    """Sums of the token counts that our own systems store; uploaded ones may not be numbers."""
    if not run.revision.declared_kind.counts_tokens:
        return {}
    names = {"tokens_in": "prompt_tokens", "tokens_out": "completion_tokens"}
    return {name: Sum(Cast(KeyTextTransform(key, "usage"), BigIntegerField())) for name, key in names.items()}


def _samples_per_second(run: Run, ended: int, first: datetime | None) -> float | None:
    if not ended or run.started_at is None or first is None:
        return None
    now = timezone.now()
    if run.finished_at is not None:
        seconds = (run.finished_at - run.started_at).total_seconds()
        return ended / seconds if seconds > 0 else None
    since = max(run.started_at, now - WINDOW)
    lately = run.outputs.filter(finished_at__gte=since).count()
    seconds = (now - since).total_seconds()
    return lately / seconds if seconds > 0 else None
