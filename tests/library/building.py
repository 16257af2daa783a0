"""Builds the distribution from a copy of the checkout, and tries what was installed from it."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import threading
import urllib.request
from pathlib import Path

from tests.guards.checkout import ROOT, Checkout

BUILD = "import sys; from setuptools import build_meta; print(getattr(build_meta, sys.argv[1])(sys.argv[2]))"
START_SECONDS = 300
FOREIGN = ("EPITOME_", "DATABASE_", "DJANGO_", "PYTHON", "VIRTUAL_ENV")


def build_distributions(folder: Path) -> tuple[Path, Path]:
    """The sdist of the checkout's files, and the wheel that is built from the unpacked sdist alone."""
    copy, unpacked, result = folder / "copy", folder / "unpacked", folder / "dist"
    for name in Checkout().names:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, copy / name)
    result.mkdir()
    sdist = result / _build(copy, "build_sdist", result)
    with tarfile.open(sdist) as archive:
        archive.extractall(unpacked, filter="data")
    (root,) = unpacked.iterdir()
    return sdist, result / _build(root, "build_wheel", result)


def _build(root: Path, hook: str, target: Path) -> str:
    completed = subprocess.run(
        [sys.executable, "-c", BUILD, hook, str(target)], cwd=root, capture_output=True, text=True
    )
    assert completed.returncode == 0, completed.stderr[-3000:]
    return completed.stdout.splitlines()[-1]


def clean_environment(**variables: str) -> dict[str, str]:
    """The environment of a user who has never heard of the checkout."""
    keep = {key: value for key, value in os.environ.items() if not key.startswith(FOREIGN)}
    return {**keep, **variables}


def run_installed(python: Path, *words: str, cwd: Path, **variables: str) -> "subprocess.CompletedProcess[str]":
    """`python words` (or, for a word that is a script beside it, that script) from another folder than the checkout."""
    script = python.parent / words[0]
    command = (
        [str(script), *words[1:]] if script.parent == python.parent and script.is_file() else [str(python), *words]
    )
    return subprocess.run(command, cwd=cwd, env=clean_environment(**variables), capture_output=True, text=True)


def fetch_first_page(python: Path, folder: Path) -> str:
    """Start `epitome demo` of an installation in `folder`, read its first page, and end it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    env = clean_environment(EPITOME_DATA_DIR=str(folder / "data"))
    command = [str(python.with_name("epitome")), "demo", "--port", str(port)]
    with (folder / "demo.log").open("w") as log:
        demo = subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=log, text=True)
        watchdog = threading.Timer(START_SECONDS, demo.kill)
        watchdog.start()
        try:
            started = any("Ctrl-C" in line for line in demo.stdout or ())
            assert started, (folder / "demo.log").read_text()[-3000:]
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/sign-in/", timeout=20) as answer:
                return answer.read().decode()
        finally:
            watchdog.cancel()
            demo.send_signal(signal.SIGTERM)
            demo.wait(timeout=20)
