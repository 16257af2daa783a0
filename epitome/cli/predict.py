"""`predict SYSTEM FILE`: a system over a file."""

import json
import os
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from epitome.cli.faults import CommandFault
from epitome.cli.options import add_json_option
from epitome.cli.sample_options import FILES, add_sample_options, open_sample_file, read_sample_options, say_encoding
from epitome.systems.roles import traits_of

if TYPE_CHECKING:
    from epitome.systems.protocol import Generator, Output, Request

SUMMARY = "Let a system write a summary for every sample of a file."
EXAMPLES = (
    "epitome predict lead test.json --output lead.jsonl",
    "epitome predict controlled-extract news.csv --preset macsum-doc --output extract.jsonl",
    "epitome predict my-system.toml test.json --output own.jsonl --seed 7 --provenance",
)
MAX_OUTPUT = 100_000


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("system", metavar="KEY|CONFIG.toml", help=list_keys())
    parser.add_argument("file", metavar="FILE", help=FILES)
    parser.add_argument("--output", required=True, metavar="PRED.jsonl")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--provenance", action="store_true", help="also write how each output came about")
    parser.add_argument("--examples", metavar="FILE", help="samples for a system that is shown worked examples")
    add_sample_options(parser)
    add_json_option(parser)


def list_keys() -> str:
    """The keys of the systems that come with Epitome and write summaries, in a sentence."""
    from epitome.systems.registry import shipped_keys

    return f"KEY is one of {', '.join(shipped_keys('generate'))}; CONFIG.toml is a file of your own"


def run_predict(arguments: Namespace) -> str:
    """Write the predictions and return what to print. Raises CommandFault."""
    from epitome.environment_values import BadSetting, read_number
    from epitome.formats.reading import UnreadableFile
    from epitome.schema import SchemaError
    from epitome.systems.files import UnfitFile
    from epitome.systems.protocol import SystemFault

    if arguments.seed < 0:
        raise CommandFault(f"--seed {arguments.seed} is below 0", status=2)
    output = Path(arguments.output)
    if not output.parent.is_dir() or output.is_dir():
        raise CommandFault(f"{output.name}: cannot be written: there is no folder {output.parent.name!r}, or it is one")
    try:
        longest = read_number("EPITOME_MAX_OUTPUT", MAX_OUTPUT, low=100)
        predicted = generate_outputs(arguments)
    except (UnfitFile, UnreadableFile, SchemaError, SystemFault, BadSetting) as error:
        raise CommandFault(str(error)) from error
    pairs = predicted.pairs
    if pairs or not predicted.faults:
        lines = (prediction_line(predicted.system, *pair, arguments.provenance, longest) for pair in pairs)
        write_atomically(output, lines)
    if predicted.faults:
        raise CommandFault(_describe_faults(predicted, output.name))
    result = {"system": predicted.system, "samples": len(pairs), "output": str(output)}
    return json.dumps(result, ensure_ascii=False) if arguments.json else f"{len(pairs)} predictions in {output.name}"


@dataclass
class Predicted:
    """What a system wrote. faults: why the others have nothing, by the sample or for all that followed."""

    system: str
    pairs: "list[tuple[Request, Output]]" = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def _describe_faults(predicted: Predicted, output: str) -> str:
    n_written, n_more = len(predicted.pairs), len(predicted.faults) - 1
    written = f"{n_written} predictions are in {output}, the other samples failed" if n_written else "no sample worked"
    return f"{written}: {predicted.faults[0]}" + (f"; {n_more} more failed" if n_more else "")


def generate_outputs(arguments: Namespace) -> Predicted:
    """Every request with its output, and the faults of those that have none."""
    from epitome.formats.reading import input_file
    from epitome.systems.files import add_examples, read_requests
    from epitome.systems.protocol import SystemFault
    from epitome.systems.registry import config_of, make_system
    from epitome.terminal_progress import TerminalProgress

    file, sample_options = open_sample_file(arguments.file, arguments), read_sample_options(arguments)
    examples_file = input_file(arguments.examples) if arguments.examples else None
    config = config_of(arguments.system)
    requests = read_requests(file, arguments.seed, sample_options)
    say_encoding(file)
    requests = add_examples(requests, config, file, examples_file, sample_options)
    system = make_system(config)
    if not traits_of(system.role).writes:
        raise SystemFault(f"{system.key} cannot write summaries: its role is {system.role}")
    progress = TerminalProgress(f"Predicting with {system.key}")
    try:
        progress.set(0, len(requests))
        return _predict_all(cast("Generator", system), requests, progress.advance)
    finally:
        progress.close()


def _predict_all(system: "Generator", requests: "Sequence[Request]", advance: Callable[[int], None]) -> Predicted:
    """A fault of the system as a whole ends it; what was written before is kept. Raises it where nothing was."""
    from epitome.systems.batching import FATAL_FAULTS, Failure, generate_each

    outputs: dict[int, Output] = {}
    predicted = Predicted(system.key)
    try:
        for place, result in generate_each(system, requests, advance):
            if isinstance(result, Failure):
                predicted.faults.append(f"{requests[place].id}: {result.reason}")
            else:
                outputs[place] = result
    except FATAL_FAULTS as error:
        if not outputs:
            raise
        predicted.faults.append(str(error))
    predicted.pairs = [(requests[place], outputs[place]) for place in sorted(outputs)]
    return predicted


def prediction_line(system: str, request: "Request", output: "Output", provenance: bool, longest: int) -> str:
    from epitome.systems.cleaning import clean_text
    from epitome.systems.serialization import result_as_json

    text, flags = clean_text(output.text, longest)
    record: dict[str, Any] = {"sample_id": request.id, "system": system, "prediction": text}
    if provenance:
        record |= {**result_as_json(output), "flags": flags}
        del record["text"]
    return json.dumps(record, ensure_ascii=False)


def write_atomically(path: Path, lines: Iterable[str]) -> None:
    """Writes all lines or leaves the file unchanged. Refuses where the folder cannot be written."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:60]}-", suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as out:
                for line in lines:
                    out.write(line + "\n")
                out.flush()
                os.fsync(out.fileno())
            umask = os.umask(0)
            os.umask(umask)
            Path(name).chmod(0o666 & ~umask)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise CommandFault(f"{path.name}: cannot be written: {error.strerror or type(error).__name__}") from error
