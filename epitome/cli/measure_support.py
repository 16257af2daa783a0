"""`measure --semantic` and `measure --source-gain`: closeness of meaning and support, in tables of their own."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from epitome.cli.faults import CommandFault

if TYPE_CHECKING:
    from epitome.metrics.macsum_samples import MacsumFile
    from epitome.metrics.report import Options
    from epitome.results import Scores


def add_support_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--semantic",
        action="store_true",
        help="also similarity to reference and source, and sentence support, by all-MiniLM-L6-v2 (epitome[semantic])",
    )
    parser.add_argument(
        "--source-gain",
        metavar="SCORER.toml",
        help="also log P(text given source) - log P(text) per token, by a causal-scorer or seq2seq-scorer",
    )


def measure_support(
    file: "MacsumFile", predictions: Sequence[str] | None, arguments: Namespace, options: "Options"
) -> "list[Scores]":
    """The tables that were asked for, of the predictions, or of the summaries where there are none.

    Raises CommandFault: a model, a library or a scorer is missing, or a text is too long for it."""
    from epitome.metrics import semantic, source_gain
    from epitome.metrics.sentence_vectors import NoEncoder
    from epitome.schema import SchemaError
    from epitome.systems.protocol import SystemFault

    if not arguments.semantic and not arguments.source_gain:
        return []
    summaries = [sample.summary for sample in file.samples]
    texts = summaries if predictions is None else predictions
    sources = [file.sources[sample.source].lines for sample in file.samples]
    drawn: Any = {"clusters": file.clusters, "replicates": options.replicates, "seed": options.seed}
    tables = []
    try:
        if arguments.semantic:
            references = None if predictions is None else summaries
            language = file.text_language
            tables.append(semantic(texts, references=references, sources=sources, language=language, **drawn))
        if arguments.source_gain:
            tables.append(source_gain(texts, sources, arguments.source_gain, **drawn))
    except (NoEncoder, SchemaError, SystemFault) as error:
        raise CommandFault(str(error)) from error
    return tables


def support_json(tables: "Sequence[Scores]") -> dict[str, Any]:
    """The scores by their names, with what each says of itself, under the key `support`; {} for none."""
    scores = {name: score.to_dict() for table in tables for name, score in table.items()}
    return {"support": scores} if scores else {}
