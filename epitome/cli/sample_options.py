"""Options of commands that work on the samples of a file: which schema, and what the columns of a table are."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from epitome.cli.faults import CommandFault

if TYPE_CHECKING:
    from annotation.formats.sample_files import SampleFileOptions

FILES = "MACSum-shaped JSON, an export of Epitome (epitome-1), or a table: CSV, JSON lines, Parquet"


def add_sample_options(parser: ArgumentParser) -> None:
    """--preset, --map."""
    parser.add_argument(
        "--preset",
        metavar="NAME|SCHEMA.toml",
        help="the schema of the file's attributes (default: MACSum's, or the one that an export names)",
    )
    add_mapping_option(parser)


def add_mapping_option(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="FIELD=COLUMN[,FIELD=COLUMN]",
        help="what the columns of a table are, such as id=paper,text=body,summary=abstract,attribute:length=bin "
        "(default: matched by name and content)",
    )


def read_mapping_option(arguments: Namespace) -> dict[str, str] | None:
    """{our field: column}, None where none is given. Raises CommandFault with status 2."""
    from annotation.formats.columns import parse_mapping

    try:
        return parse_mapping(arguments.map) if arguments.map else None
    except ValueError as error:
        raise CommandFault(f"--map {error}", status=2) from error


def read_sample_options(arguments: Namespace) -> "SampleFileOptions":
    """How the samples are read. Raises CommandFault: no such preset or schema file, a wrong mapping."""
    from annotation.formats.sample_files import SampleFileOptions, load_schema_option

    mapping = read_mapping_option(arguments)
    try:
        schema = load_schema_option(arguments.preset) if arguments.preset else None
    except ValueError as error:
        raise CommandFault(f"--preset {error}") from error
    return SampleFileOptions(schema=schema, mapping=mapping)
