"""Options of commands that work on the samples of a file: which schema, and what the columns of a table are."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from epitome.cli.faults import CommandFault

if TYPE_CHECKING:
    from epitome.formats.sample_files import SampleFileOptions

SEPARATORS = (";", ",")
FILES = "MACSum-shaped JSON, an export of Epitome (epitome-1), or a table: CSV, JSON lines, Excel, Parquet"


def add_sample_options(parser: ArgumentParser) -> None:
    """--preset, and what tables need."""
    parser.add_argument(
        "--preset",
        metavar="NAME|SCHEMA.toml",
        help="the schema of the file's attributes (default: MACSum's, or the one that an export names)",
    )
    add_mapping_option(parser)


def add_mapping_option(parser: ArgumentParser) -> None:
    """--map, --list-separator, --text-from."""
    parser.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="FIELD=COLUMN[,FIELD=COLUMN]",
        help="what the columns of a table are, such as id=paper,text=body,summary=abstract,attribute:length=bin "
        "(default: matched by name and content)",
    )
    parser.add_argument(
        "--list-separator",
        choices=SEPARATORS,
        default=SEPARATORS[0],
        metavar="SIGN",
        help="between the entries of a list in a cell: ; or , (default ;)",
    )
    parser.add_argument("--text-from", metavar="FILE", help="texts of rows that have none, by id: JSON lines or CSV")


def _read_mapping(arguments: Namespace) -> dict[str, str] | None:
    """{our field: column}, None where none is given. Raises CommandFault with status 2."""
    from epitome.formats.columns import parse_mapping

    try:
        return parse_mapping(arguments.map) if arguments.map else None
    except ValueError as error:
        raise CommandFault(f"--map {error}", status=2) from error


def read_sample_options(arguments: Namespace) -> "SampleFileOptions":
    """How the samples are read. Raises CommandFault: no such preset or schema file, a wrong mapping."""
    from epitome.formats.reading import input_file
    from epitome.formats.sample_files import SampleFileOptions, load_schema_option

    mapping, preset = _read_mapping(arguments), getattr(arguments, "preset", None)
    try:
        schema = load_schema_option(preset) if preset else None
    except ValueError as error:
        raise CommandFault(f"--preset {error}") from error
    text_from = input_file(arguments.text_from) if arguments.text_from else None
    return SampleFileOptions(schema=schema, mapping=mapping, separator=arguments.list_separator, text_from=text_from)
