"""The command line: parses, runs one command, and turns every fault into one line and an exit status."""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence

from epitome.cli.commands import LIBRARY_COMMANDS
from epitome.cli.faults import CommandFault
from epitome.cli.site import SUMMARIES, run_site_command
from epitome.text.missing_library import MissingLibrary

DESCRIPTION = "Measure controllable summarization, and run the web application that makes the datasets."
EPILOG = (
    "Status: 0 done, 1 the input cannot be used (check: a number differs), 2 the call cannot be used. "
    "EPITOME_TRACEBACK=1 shows tracebacks."
)


def build_parser() -> ArgumentParser:
    parser = ArgumentParser(prog="epitome", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("--version", action="store_true", help="print the version")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, command in LIBRARY_COMMANDS.items():
        subparser = subparsers.add_parser(name, help=command.summary, description=command.summary)
        command.add_arguments(subparser)
    for name, summary in SUMMARIES.items():
        subparsers.add_parser(name, help=summary, description=summary, add_help=False)
    return parser


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status. `words`: default the arguments of this process."""
    arguments = list(sys.argv[1:] if words is None else words)
    try:
        return run_command(arguments)
    except (CommandFault, MissingLibrary) as fault:
        if os.environ.get("EPITOME_TRACEBACK") == "1":
            raise
        print(f"epitome: {fault}", file=sys.stderr)
        return fault.status if isinstance(fault, CommandFault) else 1
    except KeyboardInterrupt:
        print("epitome: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # `epitome measure ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if os.environ.get("EPITOME_TRACEBACK") == "1":
            raise
        kind = type(error).__name__
        print(f"epitome: {kind}: {error}. This is a fault of Epitome; EPITOME_TRACEBACK=1 shows where", file=sys.stderr)
        return 70


def run_command(words: list[str]) -> int:
    if words and words[0] in SUMMARIES:
        return run_site_command(words[0], words[1:])
    parser = build_parser()
    arguments = parser.parse_args(words)
    if arguments.version:
        from importlib.metadata import PackageNotFoundError, version

        try:
            print(f"epitome {version('epitome')}")
        except PackageNotFoundError:
            print("epitome (from a checkout that is not installed)")
        return 0
    if arguments.command is None:
        parser.print_help(sys.stderr)
        return 2
    result = LIBRARY_COMMANDS[arguments.command].run(arguments)
    text, status = (result, 0) if isinstance(result, str) else result
    print(text, flush=True)
    return status
