"""How far a construction is: one row per step, for its page, the API and the command."""

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from django.db.models import Count, Q, Sum
from django.utils.translation import gettext_lazy

from annotation.models import Project
from epitome.construction.steps import STEPS, default_options
from modelbridge.models import ConstructionStep, Rewrite, RewriteState, RunState

TITLES = {
    "readability": gettext_lazy("Readability"),
    "focus": gettext_lazy("Focus"),
    "keywords": gettext_lazy("Keywords"),
    "length": gettext_lazy("Length"),
    "splits": gettext_lazy("Splits"),
    "compositional": gettext_lazy("Compositional"),
}
NOT_STARTED = "none"
MAX_ERRORS = 20


@dataclass(frozen=True)
class StepOverview:
    """Counts of one step. done, failed, open: calls. retried: answers that could not be used. interrupted: times that a
    worker ended during a call, which the server may have charged for without an answer being stored. cost: in the
    currency of the system's options, 0 where it names no price. stored: summaries."""

    key: str
    title: str
    asks: bool
    state: str
    needs: list[str]
    system: str = ""
    done: int = 0
    failed: int = 0
    open: int = 0
    retried: int = 0
    interrupted: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    currency: str = ""
    stored: int = 0
    seed: int = 0
    options: dict[str, Any] = field(default_factory=dict)
    result: dict[str, Any] = field(default_factory=dict)
    error: str = ""
    errors: list[dict[str, Any]] = field(default_factory=list)

    @property
    def is_under_way(self) -> bool:
        return self.state in RunState.UNDER_WAY

    @property
    def total(self) -> int:
        """Calls known so far."""
        return self.done + self.failed + self.open + self.retried

    @property
    def may_start(self) -> bool:
        """Whether it has something left to do and is not under way."""
        return self.state in (NOT_STARTED, RunState.FAILED, RunState.CANCELLED) or (
            self.state == RunState.DONE and self.failed > 0
        )

    @property
    def ended_calls(self) -> int:
        return self.total - self.open

    @property
    def needs_labels(self) -> list[str]:
        """The titles of the steps that come first."""
        return [str(TITLES[key]) for key in self.needs]

    def get_state_display(self) -> str:
        """The state in words, as rows of the database give it."""
        return str(RunState(self.state).label) if self.state != NOT_STARTED else ""

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "title": str(self.title)}


def list_steps(project: Project) -> list[StepOverview]:
    """Every step in order, also those that were not started."""
    started = {
        step.key: step
        for step in ConstructionStep.objects.filter(project=project).select_related("revision__system", "project")
    }
    ended = {key for key, step in started.items() if step.state == RunState.DONE}
    return [_describe_step(key, started.get(key), ended) for key in STEPS]


def describe_step(step: ConstructionStep) -> StepOverview:
    """One step that was started."""
    return _describe_step(step.key, step, set())


def _describe_step(key: str, step: ConstructionStep | None, ended: set[str]) -> StepOverview:
    plan = STEPS[key]
    needs: list[str] = [needed for needed in plan.needs if needed not in ended]
    title = str(TITLES[key])
    if step is None:
        return StepOverview(key, title, plan.asks, NOT_STARTED, needs, options=default_options(plan))
    counts = _count_calls(step)
    tokens = _count_tokens(step) if plan.asks else Counter()
    return StepOverview(
        key=key,
        title=title,
        asks=plan.asks,
        state=step.state,
        needs=[] if step.state in RunState.UNDER_WAY else needs,
        system=step.revision.system.key if step.revision is not None else "",
        tokens_in=tokens["prompt_tokens"],
        tokens_out=tokens["completion_tokens"],
        currency=_currency_of(step),
        stored=step.constructed.count(),
        seed=step.seed,
        options=step.options,
        result=step.result,
        error=step.error,
        errors=_list_errors(step),
        **counts,
    )


def _count_calls(step: ConstructionStep) -> dict[str, Any]:
    states = RewriteState
    counts = step.rewrites.aggregate(
        done=Count("pk", filter=Q(state=states.DONE)),
        failed=Count("pk", filter=Q(state=states.FAILED)),
        open=Count("pk", filter=Q(state__in=states.OPEN)),
        retried=Count("pk", filter=Q(state=states.RETRIED)),
        interrupted=Sum("interrupted"),
        cost=Sum("cost"),
    )
    return {name: value or 0 for name, value in counts.items()}


def _count_tokens(step: ConstructionStep) -> Counter[str]:
    tokens: Counter[str] = Counter()
    for usage in step.rewrites.exclude(usage={}).values_list("usage", flat=True):
        tokens.update({name: int(usage.get(name) or 0) for name in ("prompt_tokens", "completion_tokens")})
    return tokens


def _currency_of(step: ConstructionStep) -> str:
    row = step.rewrites.filter(cost__gt=0).only("decoding").first()
    return str(row.decoding.get("currency", "")) if row is not None else ""


def _list_errors(step: ConstructionStep) -> list[dict[str, Any]]:
    rows = step.rewrites.failed().values("error").annotate(n=Count("pk")).order_by("-n", "error")
    return [dict(row) for row in rows[:MAX_ERRORS]]


def list_failed_calls(step: ConstructionStep) -> list[Rewrite]:
    """The calls that were given up, with their papers."""
    return list(step.rewrites.failed().select_related("document").order_by("pk")[:100])
