"""`manage.py predict KEY|CONFIG.toml FILE --output PRED.jsonl`: a system over a file, without a database."""

import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.formats.reading import UnreadableFile, input_file
from annotation.management.running import as_json, command_error, progress_of
from annotation.schema import SchemaError
from modelbridge.systems.batching import generate_all
from modelbridge.systems.cleaning import clean_text
from modelbridge.systems.files import UnfitFile, read_requests
from modelbridge.systems.protocol import Generator, Output, Request, SystemFault
from modelbridge.systems.registry import config_of, make_system
from modelbridge.systems.serialization import result_as_json


class Command(BaseCommand):
    help = "Let a system write a summary for every sample of a MACSum-shaped file."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("system", metavar="KEY|CONFIG.toml")
        parser.add_argument("file")
        parser.add_argument("--output", required=True, metavar="PRED.jsonl")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--provenance", action="store_true", help="also write how each output came about")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["seed"] < 0:
            raise CommandError(f"--seed {options['seed']} is below 0", returncode=2)
        output = Path(options["output"])
        if not output.parent.is_dir() or output.is_dir():
            raise command_error(
                f"{output.name}: cannot be written: there is no folder {output.parent.name!r}, or it is one"
            )
        try:
            requests = read_requests(input_file(options["file"]), options["seed"])
            system = make_system(config_of(options["system"]))
            if system.role != "generate":
                raise SystemFault(f"{system.key} cannot write summaries: its role is {system.role}")
            with progress_of(f"Predicting with {system.key}") as progress:
                progress.set(0, len(requests))
                outputs = generate_all(cast(Generator, system), requests, progress.advance)
        except (UnfitFile, UnreadableFile, SchemaError, SystemFault) as error:
            raise command_error(str(error)) from error
        write_atomically(
            output,
            (
                _prediction_line(system.key, *pair, options["provenance"])
                for pair in zip(requests, outputs, strict=True)
            ),
        )
        result = {"system": system.key, "samples": len(outputs), "output": str(output)}
        self.stdout.write(as_json(result) if options["json"] else f"{len(outputs)} predictions in {output.name}")


def _prediction_line(system: str, request: Request, output: Output, provenance: bool) -> str:
    text, flags = clean_text(output.text, settings.EPITOME_MAX_OUTPUT)
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
        raise command_error(f"{path.name}: cannot be written: {error.strerror or type(error).__name__}") from error
