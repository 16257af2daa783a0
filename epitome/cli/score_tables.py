"""`rank`, `contrastive`, `ccsbench`: metrics over rows of a file, printed as one table."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from epitome.cli.faults import CommandFault
from epitome.cli.options import add_interval_options, add_json_option, bounded_number

if TYPE_CHECKING:
    from epitome.results import Scores

RANK = "MAP, R@k, MRR, P@k and NDCG@k of scored lists of candidates."
CONTRASTIVE = "Dodged and escaped shares of a model's scores of gold and damaged summaries."
CCSBENCH = "ROUGE-L, MAD, PCC, SR, readability and focus F1 of summaries of papers."
RANK_EXAMPLES = ("epitome rank lists.jsonl", "epitome rank lists.csv --k 5 --format latex")
CONTRASTIVE_EXAMPLES = ("epitome contrastive cases.jsonl", "epitome contrastive cases.jsonl --score mean --json")
CCSBENCH_EXAMPLES = ("epitome ccsbench rows.jsonl", "epitome ccsbench rows.csv --language zh --format latex")


def add_rank_arguments(parser: ArgumentParser) -> None:
    _add_file(parser, '"scores" and "gold" (lists), "id", "n_gold"')
    parser.add_argument("--k", type=bounded_number(1, 10_000), default=10, help="of R@k, P@k and NDCG@k (10)")


def add_contrastive_arguments(parser: ArgumentParser) -> None:
    _add_file(parser, '"gold" (a score), "contrastives" ([{"rule", "score"}, ...]), "id", "source"', is_drawn=False)
    parser.add_argument("--score", choices=("sum", "mean"), default="sum", help="how the scores were made")


def add_ccsbench_arguments(parser: ArgumentParser) -> None:
    _add_file(parser, '"prediction", "reference", "requested", "judged_focus", "source_id"')
    parser.add_argument("--language", metavar="TAG", default="en", help="of the texts, such as zh (en)")


def _add_file(parser: ArgumentParser, fields: str, *, is_drawn: bool = True) -> None:
    """is_drawn: whether the intervals are drawn, so that their number and seed can be chosen."""
    parser.add_argument("file", metavar="ROWS", help=f"JSON lines, CSV or Excel with {fields}")
    parser.add_argument("--format", choices=("text", "latex"), default="text")
    add_json_option(parser)
    if is_drawn:
        add_interval_options(parser)


def run_rank(arguments: Namespace) -> str:
    from epitome.metrics import rank

    return _print_scores(arguments, lambda rows, **drawn: rank(rows, arguments.k, **drawn))


def run_contrastive(arguments: Namespace) -> str:
    from epitome.metrics import contrastive

    return _print_scores(arguments, lambda rows: contrastive(rows, score=arguments.score))


def run_ccsbench(arguments: Namespace) -> str:
    from epitome.metrics import ccsbench

    def compute(rows: list[dict[str, Any]], **drawn: Any) -> "Scores":
        sources = [row.get("source_id") for row in rows]
        clusters = None if None in sources else sources
        return ccsbench(rows, language=arguments.language, clusters=clusters, **drawn)

    return _print_scores(arguments, compute)


def _print_scores(arguments: Namespace, compute: "Callable[..., Scores]") -> str:
    """The table of the file's rows as text, LaTeX or JSON. Raises CommandFault."""
    from epitome.cli.rows import read_rows
    from epitome.formats.reading import UnreadableFile

    drawn = {"replicates": arguments.bootstrap, "seed": arguments.seed} if "bootstrap" in arguments else {}
    try:
        scores = compute(read_rows(arguments.file), **drawn)
    except (ValueError, TypeError) as error:
        name = "" if isinstance(error, UnreadableFile) else f"{arguments.file}: "
        raise CommandFault(f"{name}{error}") from error
    if arguments.json:
        return json.dumps(scores.to_dict(), ensure_ascii=False)
    return scores.to_latex() if arguments.format == "latex" else repr(scores)
