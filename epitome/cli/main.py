"""The command line: parses, runs one command, and turns every fault into one line and an exit status."""

import os
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from epitome.cli.commands import LIBRARY_COMMANDS
from epitome.cli.faults import CommandFault
from epitome.cli.site import SUMMARIES, run_site_command
from epitome.text.missing_library import MissingLibrary

DESCRIPTION = "Measure controllable summarization, and run the web application that makes the datasets."
EXAMPLES = ("epitome measure news.csv", "epitome agreement judgements.csv", "epitome demo --port 8000")
EPILOG = (
    "Status: 0 done, 1 the input cannot be used (check: a number differs), 2 the call cannot be used. "
    "EPITOME_TRACEBACK=1 shows tracebacks."
)


class CommandParser(ArgumentParser):
    """The parser of a command: a wrong call is answered with the usage of the command, and where its help is."""

    explain_call: Callable[[], str] | None = None

    def error(self, message: str) -> NoReturn:
        more = f" {self.explain_call()}." if self.explain_call is not None else ""
        self.print_usage(sys.stderr)
        self.exit(2, f"{self.prog}: {message}.{more} Examples: {self.prog} --help\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuses what it does not know, so that the usage is that of the command and not of `epitome`."""
        arguments, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return arguments, unknown


def build_parser(called: str = "") -> ArgumentParser:
    """The parser of the command line; called: the command whose options are to be read, others have none yet."""
    parser = ArgumentParser(
        prog="epitome",
        description=DESCRIPTION,
        epilog=_list_examples(EXAMPLES) + f"\n\n{EPILOG}",
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="print the version")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=CommandParser)
    for name, command in LIBRARY_COMMANDS.items():
        subparser = subparsers.add_parser(
            name,
            help=command.summary,
            description=command.summary,
            epilog=_list_examples(command.examples),
            formatter_class=RawDescriptionHelpFormatter,
        )
        subparser.explain_call = command.explain_call
        if name == called:
            command.add_arguments(subparser)
    for name, summary in SUMMARIES.items():
        subparsers.add_parser(name, help=summary, description=summary, add_help=False)
    return parser


def _list_examples(examples: Sequence[str]) -> str:
    return "\n".join(["examples:", *(f"  {example}" for example in examples)])


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
    parser = build_parser(words[0] if words else "")
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
