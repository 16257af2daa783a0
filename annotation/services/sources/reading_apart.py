"""Opens the beginning of an uploaded file in a process apart, so that a file which ends, fills or halts its reader is
refused with a sentence, and the web process lives on."""

import signal
import subprocess
import sys

from django.conf import settings
from django.utils.translation import gettext as _

from annotation.models import SchemaVersion
from epitome.formats import apart
from epitome.formats.apart import Answer, FileHead, Request
from epitome.formats.options import ImportOptions
from epitome.formats.outlook import Outlook
from epitome.formats.reading import InputFile, UnreadableFile

MEMORY = 2 * 2**30
CPU_SECONDS = 20
WALL_SECONDS = 60.0
TRIES = 2
"""A process that ended by itself, perhaps for want of memory on a busy machine, is started once more."""
COMMAND = [sys.executable, "-m", "epitome.formats.apart"]


def read_head(file: InputFile, kind: str) -> FileHead:
    """Format, columns and first rows of a file. kind: the format, or `auto`. Raises UnreadableFile."""
    if not apart.needs_process(file, kind):
        return apart.read_head(file, kind)
    answered = _ask(Request(True, file, kind, ImportOptions(), "", MEMORY, CPU_SECONDS))
    assert answered.head is not None
    return answered.head


def read_outlook(file: InputFile, kind: str, options: ImportOptions, version: SchemaVersion) -> Outlook:
    """What the first rows would become. version: of the schema, where the options have one. Raises UnreadableFile, and
    ValueError for an unusable mapping."""
    if not apart.needs_process(file, kind):
        return apart.read_outlook(file, kind, options)
    schema = version.text if options.schema is not None else ""
    answered = _ask(Request(False, file, kind, options, schema, MEMORY, CPU_SECONDS))
    assert answered.outlook is not None
    return answered.outlook


def _ask(request: Request) -> Answer:
    """What a process of its own read. Raises UnreadableFile, also where it ended or took too long, and ValueError."""
    answered = _run_reader(request)
    request.file.encoding.join(answered.encoding)
    if answered.fault is not None:
        raise UnreadableFile(answered.fault)
    if answered.refusal:
        raise ValueError(answered.refusal)
    return answered


def _run_reader(request: Request) -> Answer:
    for _try in range(TRIES):
        try:
            ended = subprocess.run(
                COMMAND,
                input=request.as_json(),
                stdout=subprocess.PIPE,
                cwd=settings.BASE_DIR,
                timeout=WALL_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise _too_slow(request.file) from None
        if ended.returncode == 0:
            return Answer.of_json(ended.stdout, request.mark)
        if ended.returncode == -signal.SIGXCPU:
            raise _too_slow(request.file)
    message = _("cannot be opened: reading it ended the program that tried. Save it again, or in another format.")
    raise request.file.unreadable(message, code="damaged")


def _too_slow(file: InputFile) -> UnreadableFile:
    message = _("takes too long to be opened. Split it into smaller files, or save it in another format.")
    return file.unreadable(message, code="too_large")
