"""The folder in which all web processes count their requests.

The process that loads the application makes it before it forks. prometheus_client reads its name from the environment
when it is imported, so prepare_folder() comes first. PROMETHEUS_MULTIPROC_DIR may name another, empty folder.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"


def prepare_folder() -> None:
    if FOLDER_VARIABLE in os.environ:
        return
    memory = Path("/dev/shm")  # noqa: S108 - counts, never on a disk
    folder = tempfile.mkdtemp(prefix="epitome-metrics-", dir=memory if memory.is_dir() else None)
    os.environ[FOLDER_VARIABLE] = folder
    atexit.register(remove_folder, folder, os.getpid())


def remove_folder(folder: str, owner: int) -> None:
    """At the end of the process that made it; forked ones leave it."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
