"""`report FILE... --output report.html`: the numbers of files as one page with tables and figures."""

from argparse import ArgumentParser, Namespace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from epitome.cli.faults import CommandFault
from epitome.cli.sample_options import add_sample_options, read_sample_options

SUMMARY = "Write the numbers of files as one HTML file with tables and figures."
EXAMPLES = (
    "epitome report news.csv --output report.html",
    "epitome report measures.json judgements.csv round.jsonl -o report.html --title 'Our systems'",
)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="what a command printed with --json, a round's file for checking, judgements, a file of samples or texts, "
        "or any table",
    )
    parser.add_argument("-o", "--output", required=True, metavar="REPORT.html", help="the file to write")
    parser.add_argument("--title", default="", metavar="TEXT", help="of the report (default: the names of the files)")
    parser.add_argument("--language", metavar="TAG", default="", help="of the texts, such as zh (default: English)")
    add_sample_options(parser)


def run_report(arguments: Namespace) -> str:
    """Write the file and return what to print. Raises CommandFault."""
    from epitome.cli.predict import write_atomically
    from epitome.reports.html_file import write_html
    from epitome.reports.read_files import NoReport, read_sections

    output, paths = Path(arguments.output), [Path(path) for path in arguments.files]
    if not output.parent.is_dir() or output.is_dir():
        raise CommandFault(f"{output}: cannot be written: there is no folder {output.parent.name!r}, or it is one")
    if any(path.resolve() == output.resolve() for path in paths):
        raise CommandFault(f"{output}: is one of the files to read; name another --output", status=2)
    options = read_sample_options(arguments)
    try:
        sections = [read_sections(path, options, arguments.language) for path in paths]
    except NoReport as error:
        raise CommandFault(str(error)) from error
    title = arguments.title or ", ".join(path.name for path in paths)
    try:
        known = version("epitome")
    except PackageNotFoundError:
        known = ""
    write_atomically(output, write_html(title, sections, known).splitlines())
    n_tables = sum(len(section.tables) for section in sections)
    n_figures = sum(len(figures) for section in sections for figures in section.figures)
    return f"{output.name}: {len(paths)} files, {n_tables} tables, {n_figures} figures"
