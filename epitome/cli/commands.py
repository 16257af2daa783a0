"""The commands of `epitome` by name: which module has them, and what each does in one line."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import NamedTuple

from epitome.cli import agreement, check, combine, completion, measure, plan, predict, reproduce, score_tables
from epitome.cli.outcome import Outcome


class LibraryCommand(NamedTuple):
    """A command that needs neither database nor web: `run` returns what to print, or that and its status."""

    summary: str
    add_arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], str | Outcome]


LIBRARY_COMMANDS = {
    "measure": LibraryCommand(measure.SUMMARY, measure.add_arguments, measure.run_measure),
    "agreement": LibraryCommand(agreement.SUMMARY, agreement.add_arguments, agreement.run_agreement),
    "predict": LibraryCommand(predict.SUMMARY, predict.add_arguments, predict.run_predict),
    "reproduce": LibraryCommand(reproduce.SUMMARY, reproduce.add_arguments, reproduce.run_reproduce),
    "rank": LibraryCommand(score_tables.RANK, score_tables.add_rank_arguments, score_tables.run_rank),
    "contrastive": LibraryCommand(
        score_tables.CONTRASTIVE, score_tables.add_contrastive_arguments, score_tables.run_contrastive
    ),
    "ccsbench": LibraryCommand(score_tables.CCSBENCH, score_tables.add_ccsbench_arguments, score_tables.run_ccsbench),
    "combine": LibraryCommand(combine.SUMMARY, combine.add_arguments, combine.run_combine),
    "plan": LibraryCommand(plan.SUMMARY, plan.add_arguments, plan.run_plan),
    "check": LibraryCommand(check.SUMMARY, check.add_arguments, check.run_check),
    "completion": LibraryCommand(completion.SUMMARY, completion.add_arguments, completion.build_script),
}
