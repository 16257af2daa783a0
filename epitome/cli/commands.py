"""The commands of `epitome` by name: which module has them, what each does in one line, and how it is called."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import NamedTuple

from epitome.cli import (
    agreement,
    check,
    combine,
    completion,
    measure,
    plan,
    predict,
    refinement,
    report,
    reproduce,
    score_tables,
)
from epitome.cli.outcome import Outcome


class LibraryCommand(NamedTuple):
    """A command that needs neither database nor web: `run` returns what to print, or that and its status. examples:
    calls that its help shows. explain_call: a line after the error of a wrong call."""

    summary: str
    add_arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], str | Outcome]
    examples: tuple[str, ...]
    explain_call: Callable[[], str] | None = None


LIBRARY_COMMANDS = {
    "measure": LibraryCommand(measure.SUMMARY, measure.add_arguments, measure.run_measure, measure.EXAMPLES),
    "agreement": LibraryCommand(
        agreement.SUMMARY, agreement.add_arguments, agreement.run_agreement, agreement.EXAMPLES
    ),
    "predict": LibraryCommand(
        predict.SUMMARY, predict.add_arguments, predict.run_predict, predict.EXAMPLES, predict.list_keys
    ),
    "refinement": LibraryCommand(
        refinement.SUMMARY, refinement.add_arguments, refinement.run_refinement, refinement.EXAMPLES
    ),
    "reproduce": LibraryCommand(
        reproduce.SUMMARY, reproduce.add_arguments, reproduce.run_reproduce, reproduce.EXAMPLES
    ),
    "rank": LibraryCommand(
        score_tables.RANK, score_tables.add_rank_arguments, score_tables.run_rank, score_tables.RANK_EXAMPLES
    ),
    "contrastive": LibraryCommand(
        score_tables.CONTRASTIVE,
        score_tables.add_contrastive_arguments,
        score_tables.run_contrastive,
        score_tables.CONTRASTIVE_EXAMPLES,
    ),
    "ccsbench": LibraryCommand(
        score_tables.CCSBENCH,
        score_tables.add_ccsbench_arguments,
        score_tables.run_ccsbench,
        score_tables.CCSBENCH_EXAMPLES,
    ),
    "combine": LibraryCommand(combine.SUMMARY, combine.add_arguments, combine.run_combine, combine.EXAMPLES),
    "plan": LibraryCommand(plan.SUMMARY, plan.add_arguments, plan.run_plan, plan.EXAMPLES),
    "report": LibraryCommand(report.SUMMARY, report.add_arguments, report.run_report, report.EXAMPLES),
    "check": LibraryCommand(check.SUMMARY, check.add_arguments, check.run_check, check.EXAMPLES),
    "completion": LibraryCommand(
        completion.SUMMARY, completion.add_arguments, completion.build_script, completion.EXAMPLES
    ),
}
