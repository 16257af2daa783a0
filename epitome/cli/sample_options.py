"""Options of commands that work on the samples of a file: which schema, and what the columns of a table are."""

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from epitome.cli.faults import CommandFault
from epitome.formats.encodings import ENCODINGS

if TYPE_CHECKING:
    from epitome.formats.reading import InputFile
    from epitome.formats.sample_files import SampleFileOptions

SEPARATORS = (";", ",")
FILES = "MACSum-shaped JSON, an export of Epitome (epitome-1), or a table: CSV, JSON lines, Excel, Parquet"


def add_sample_options(parser: ArgumentParser) -> None:
    """--preset, --encoding, and what tables need."""
    parser.add_argument(
        "--preset",
        metavar="NAME|SCHEMA.toml",
        help="the schema of the file's attributes (default: MACSum's, or the one that an export names)",
    )
    parser.add_argument(
        "--encoding",
        choices=ENCODINGS,
        default="",
        metavar="NAME",
        help=f"of a table that is not UTF-8: {', '.join(ENCODINGS)} (default: guessed, and said)",
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


def open_sample_file(path: str, arguments: Namespace) -> "InputFile":
    """A file of samples in the encoding that was given, if any."""
    from epitome.formats.reading import input_file

    return input_file(path, encoding=getattr(arguments, "encoding", ""))


def say_encoding(file: "InputFile") -> None:
    """Print in which encoding a file was read, where that was guessed."""
    if file.encoding.is_guessed:
        sys.stderr.write(
            f"{file.name}: read as {file.encoding.label}; name another with --encoding if letters are wrong\n"
        )


def read_sample_options(arguments: Namespace) -> "SampleFileOptions":
    """How the samples are read. Raises CommandFault: no such preset or schema file, a wrong mapping."""
    from epitome.formats.sample_files import SampleFileOptions, load_schema_option

    mapping, preset = _read_mapping(arguments), getattr(arguments, "preset", None)
    try:
        schema = load_schema_option(preset) if preset else None
    except ValueError as error:
        raise CommandFault(f"--preset {error}") from error
    text_from = open_sample_file(arguments.text_from, arguments) if arguments.text_from else None
    return SampleFileOptions(schema=schema, mapping=mapping, separator=arguments.list_separator, text_from=text_from)
