"""Makes the contrastive examples of a project's golds, in batches: each tuple is stored whole or not at all.

A second run with the same options continues an interrupted one and adds only golds without examples. Other options are
refused unless the set is to be replaced.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.jobs import JobRefused, NoProgress, Progress, register_handler
from annotation.models import Annotation, AuditVerb, Contrastive, ContrastiveSet, Job, Project
from annotation.services.contrastives.golds import Gold, check_project, check_sources, draw_golds, list_golds
from annotation.services.contrastives.set_options import SHARES, SetOptions, read_shares
from annotation.services.contrastives.sets import check_replaceable, find_current_set, is_made_with, open_set
from annotation.services.contrastives.tuple_maker import SetCounts, estimate_shares, make_tuples
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict, ServiceError
from annotation.services.core.job_start import start_job
from annotation.transactions import write_transaction
from epitome.contrastives import GENERATOR, Example, MadeTuple, Shares, set_quotas
from epitome.contrastives.pairs import FILTERS
from epitome.contrastives.parsing import load_parser
from epitome.text.pipeline import PipelineNotFound

__all__ = ["FILTERS", "DryRun", "hash_text", "make_contrastives", "plan_contrastives", "start_making"]

JOB_KIND = "contrastives"
LANGUAGE = "en"
"""Of the parser."""
ROWS = 1000
TRIED_GOLDS = 40
"""Golds whose examples a dry run makes."""


@dataclass(frozen=True)
class DryRun:
    """What a run would do: golds that fit, those drawn, those without examples yet; and what the rules give for
    `tried` of them. counts: as a set keeps them. estimated: from how many golds the shares were estimated."""

    golds: int
    drawn: int
    remaining: int
    quotas: dict[str, int]
    shares: dict[str, dict[str, float]]
    tried: int
    counts: SetCounts
    estimated: int = 0

    @property
    def per_gold(self) -> float | None:
        """Examples of one gold on average; None where none was tried."""
        return self.counts.examples / self.tried if self.tried else None

    @property
    def expected(self) -> int | None:
        """Examples of all remaining golds, if they have as many as those that were tried."""
        return None if self.per_gold is None else round(self.per_gold * self.remaining)

    def as_dict(self) -> dict[str, Any]:
        return {
            "golds": self.golds,
            "drawn": self.drawn,
            "remaining": self.remaining,
            "quotas": self.quotas,
            "shares": self.shares,
            "tried": self.tried,
            "estimated": self.estimated,
            "per_gold": self.per_gold,
            "expected": self.expected,
            "rules": self.counts.as_dict()["rules"],
        }


def make_contrastives(
    *,
    project: Project,
    options: SetOptions | None = None,
    replace: bool = False,
    by: AbstractBaseUser | None = None,
    job: Job | None = None,
    progress: Progress | None = None,
) -> dict[str, int]:
    """Make and store the examples of the project's golds; returns golds and examples added, golds without any, and the
    totals of the set. Raises BadInput, Conflict."""
    options, progress = options or SetOptions(), progress or NoProgress()
    golds = _list_chosen_golds(project, options)
    contrastive_set = _find_or_open_set(project, options, golds, replace=replace, by=by, job=job)
    quotas = set_quotas(options.per_gold, read_shares(contrastive_set.options))
    remaining = _list_remaining(contrastive_set, golds, options.n)
    counts, added = progress.carry({"golds": 0, "examples": 0, "empty": 0}), SetCounts()
    counts_before = Counter(counts)
    progress.set(counts["golds"], counts["golds"] + len(remaining))
    with closing(make_tuples(remaining, options, quotas)) as made_batches:
        for batch, made_tuples in made_batches:
            progress.checkpoint()
            with write_transaction():
                _store_batch(contrastive_set, batch, made_tuples, added)
                counts |= counts_before + Counter(golds=added.golds, examples=added.examples, empty=added.per_gold[0])
                progress.keep()
            progress.advance(len(batch))
    _finish_set(contrastive_set, by, counts)
    contrastive_set.refresh_from_db()
    return {
        **counts,
        "all_golds": contrastive_set.golds,
        "all_examples": contrastive_set.examples,
    }


def _list_chosen_golds(project: Project, options: SetOptions) -> list[Gold]:
    options.check()
    check_project(project)
    if not project.language.lower().startswith(LANGUAGE):
        message = _("Examples can be made of English summaries only; the language of this project is %(language)s.")
        raise BadInput(message % {"language": project.language})
    check_sources(project, options.without)
    golds = draw_golds(project, split=options.split, n=options.n, seed=options.seed, without=options.without)
    if not golds:
        raise BadInput(
            _("There is no gold summary yet: import references or accept summaries first.")
            if not options.split and not options.without
            else _("The other sources have no gold summary.")
            if options.without
            else _("No source of this split has a gold summary."),
            field="split",
        )
    return golds


def _find_parser_id() -> str:
    try:
        return load_parser().id[:120]
    except (PipelineNotFound, ImportError) as error:
        raise BadInput(_("The parser cannot be loaded: %(why)s") % {"why": str(error)[:300]}) from error


def _find_or_open_set(
    project: Project,
    options: SetOptions,
    golds: Sequence[Gold],
    *,
    replace: bool,
    by: AbstractBaseUser | None,
    job: Job | None,
) -> ContrastiveSet:
    current, parser_id = find_current_set(project), _find_parser_id()
    is_of_job = job is not None and current is not None and current.job_id == job.pk
    if current is not None and is_made_with(current, options) and (is_of_job or not replace):
        _check_version(current, parser_id)
        return current
    check_replaceable(project, replace=replace)
    shares = _estimate(options, golds, options.estimate) if options.estimate else Shares()
    with write_transaction():
        return open_set(
            project=project,
            replace=replace,
            by=by,
            origin=ContrastiveSet.Origin.MADE,
            options={**options.as_dict(), SHARES: shares.as_dict()},
            generator=GENERATOR,
            parser=parser_id,
            job=job,
        )


def _check_version(contrastive_set: ContrastiveSet, parser_id: str) -> None:
    """Raises Conflict where another version would add to the set: it must be one design."""
    if (contrastive_set.generator, contrastive_set.parser) != (GENERATOR, parser_id):
        raise Conflict(
            _("These examples were made by an earlier version of the rules or the parser. Replace them."),
            field="replace",
            code="otherset",
        )


def _estimate(options: SetOptions, golds: Sequence[Gold], n: int) -> Shares:
    try:
        return estimate_shares(_choose_few(golds, n, options.seed), options)
    except ValueError as error:
        raise BadInput(_("The shares cannot be estimated: %(why)s.") % {"why": str(error)}, field="estimate") from error


def _choose_few(golds: Sequence[Gold], n: int, seed: int) -> list[Gold]:
    """Some of the golds, by the seed; in their order."""

    def rank(gold: Gold) -> bytes:
        return hashlib.sha256(f"{seed}|estimate|{gold.key}".encode()).digest()

    chosen = {gold.annotation_id for gold in sorted(golds, key=rank)[:n]}
    return [gold for gold in golds if gold.annotation_id in chosen]


def _list_remaining(contrastive_set: ContrastiveSet, golds: Sequence[Gold], n: int) -> list[Gold]:
    """The golds that still have to be read, so that the set has at most n."""
    done_golds = set(contrastive_set.empty_golds)
    rows = Contrastive.objects.filter(project=contrastive_set.project_id).order_by()
    done_golds.update(rows.values_list("annotation_id", flat=True).distinct())
    remaining = [gold for gold in golds if gold.annotation_id not in done_golds]
    return remaining[: max(0, n - contrastive_set.golds)]


def _store_batch(
    contrastive_set: ContrastiveSet, golds: Sequence[Gold], made_tuples: Sequence[MadeTuple], added: SetCounts
) -> None:
    """Store the examples of some golds and count them in the set, inside a transaction; golds that another run has read
    or that changed meanwhile are skipped. Raises Conflict once the set was replaced."""
    rows = ContrastiveSet.objects.select_for_update(of=("self",), no_key=True)
    locked = rows.filter(pk=contrastive_set.pk, replaced_at=None).first()
    if locked is None:
        raise Conflict(_("These contrastive examples were replaced meanwhile. Start again."))
    ids = [gold.annotation_id for gold in golds]
    # Until the commit nobody can withdraw these texts; a withdrawal locks them too, and then finds the examples.
    rows_of_golds = Annotation.objects.select_for_update(of=("self",), no_key=True).filter(pk__in=ids)
    list(rows_of_golds.order_by("pk").values_list("pk"))
    standing = {gold.annotation_id: gold.text for gold in list_golds(contrastive_set.project, annotations=ids)}
    done_golds = set(Contrastive.objects.filter(annotation__in=ids).order_by().values_list("annotation_id", flat=True))
    done_golds.update(locked.empty_golds)
    counts, examples = SetCounts.from_dict(locked.counts), []
    for gold, made_tuple in zip(golds, made_tuples, strict=True):
        if gold.annotation_id in done_golds or standing.get(gold.annotation_id) != gold.text:
            continue
        counts.add(made_tuple)
        added.add(made_tuple)
        examples += [_build_row(locked, gold, example) for example in made_tuple.examples]
        if not made_tuple.examples:
            locked.empty_golds.append(gold.annotation_id)
    Contrastive.objects.bulk_create(examples, batch_size=ROWS)
    locked.counts, locked.golds, locked.examples = counts.as_dict(), counts.golds, counts.examples
    locked.finished_at = None
    locked.save(update_fields=["counts", "golds", "examples", "empty_golds", "finished_at"])


def _build_row(contrastive_set: ContrastiveSet, gold: Gold, example: Example) -> Contrastive:
    return Contrastive(
        project_id=contrastive_set.project_id,
        sample_id=gold.sample_id,
        annotation_id=gold.annotation_id,
        rule=example.rule,
        text=example.text,
        text_key=hash_text(example.text),
        edits=[edit.as_dict() for edit in example.edits],
        from_source=example.from_source,
        seed=contrastive_set.options.get("seed"),
        generator=contrastive_set.generator,
    )


def hash_text(text: str) -> str:
    """`text_key` of a text: equal texts of one gold differ at most in upper and lower case."""
    return hashlib.sha256(text.lower().encode()).hexdigest()


def _finish_set(contrastive_set: ContrastiveSet, by: AbstractBaseUser | None, added: dict[str, int]) -> None:
    with write_transaction():
        rows = ContrastiveSet.objects.filter(pk=contrastive_set.pk, replaced_at=None, finished_at=None)
        if rows.update(finished_at=timezone.now()):
            audit.record_event(
                project=contrastive_set.project,
                actor=by,
                verb=AuditVerb.CONTRASTIVES_MAKE,
                target=f"contrastive_set:{contrastive_set.public_id}",
                golds=added["golds"],
                examples=added["examples"],
            )


def plan_contrastives(
    *, project: Project, options: SetOptions | None = None, most_estimated: int | None = None
) -> DryRun:
    """What `make_contrastives` would do; nothing is stored. most_estimated: the most golds that the shares are worked
    out from, where somebody waits for the answer. Raises BadInput."""
    options = options or SetOptions()
    golds = _list_chosen_golds(project, options)
    _find_parser_id()
    estimated = min(options.estimate, len(golds), most_estimated or options.estimate)
    shares = _estimate(options, golds, estimated) if estimated else Shares()
    quotas = set_quotas(options.per_gold, shares)
    current = find_current_set(project)
    is_same = current is not None and is_made_with(current, options)
    remaining = _list_remaining(current, golds, options.n) if current is not None and is_same else golds
    tried = _choose_few(golds, TRIED_GOLDS, options.seed)
    counts = SetCounts()
    for _batch, made_tuples in make_tuples(tried, options, quotas):
        for made_tuple in made_tuples:
            counts.add(made_tuple)
    return DryRun(
        golds=sum(1 for _gold in list_golds(project, split=options.split, without=options.without)),
        drawn=len(golds),
        remaining=len(remaining),
        quotas=quotas,
        shares=shares.as_dict(),
        tried=len(tried),
        counts=counts,
        estimated=estimated,
    )


def start_making(*, project: Project, options: SetOptions, replace: bool = False, by: AbstractBaseUser | None) -> Job:
    """Queue a run. Raises BadInput and Conflict now for what cannot be done at all."""
    _list_chosen_golds(project, options)
    current = find_current_set(project)
    if current is None or replace or not is_made_with(current, options):
        check_replaceable(project, replace=replace)
    arguments = {"options": options.as_dict(), "replace": replace}
    return start_job(kind=JOB_KIND, project=project, by=by, arguments=arguments)


@register_handler(
    JOB_KIND,
    gettext_lazy("Make contrastive examples"),
    queue="text",
    takes_turns=True,
    page="contrastives",
    kept=gettext_lazy("Examples made so far stay; make the rest with the same options."),
)
def run_making(job: Job, progress: Progress) -> dict[str, Any]:
    if job.project is None:
        raise JobRefused(_("The project was deleted."))
    try:
        return dict(
            make_contrastives(
                project=job.project,
                options=SetOptions.from_dict(job.arguments["options"]),
                replace=bool(job.arguments.get("replace")),
                by=job.requested_by,
                job=job,
                progress=progress,
            )
        )
    except ServiceError as error:
        raise JobRefused(error.message) from error
