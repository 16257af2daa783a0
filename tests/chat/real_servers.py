"""Chat servers that other people wrote, started for a test on a free port, each where its packages are installed."""

import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from epitome.site import supervise
from epitome.systems import local_model

ROOT = Path(__file__).resolve().parents[2]
CONTEXT = 768
"""Tokens of prompt and answer that each takes, so that a page of text is too long: a multiple of 256, to which
llama.cpp rounds up. `transformers serve` has no limit."""
LLAMA_CPP, LLAMA_CPP_PYTHON, TRANSFORMERS = "llama.cpp", "llama-cpp-python", "transformers serve"
NEEDED = {
    LLAMA_CPP: (local_model.ENGINE, local_model.WEIGHTS_PACKAGE),
    LLAMA_CPP_PYTHON: ("llama_cpp", "fastapi", "uvicorn", local_model.WEIGHTS_PACKAGE),
    TRANSFORMERS: ("torch", "transformers", "fastapi", "uvicorn", "openai"),
}
NAMES = tuple(NEEDED)


def missing_packages(name: str) -> list[str]:
    """Of this server."""
    return [package for package in NEEDED[name] if find_spec(package) is None]


@dataclass
class RealServer:
    """name: of NAMES. model: as it calls it. end_token: of the model's tokenizer. command: without its port."""

    name: str
    model: str
    end_token: int
    command: Sequence[str]
    port: int = field(default_factory=supervise.find_free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def start(self) -> None:
        quiet = subprocess.DEVNULL
        command = [part.replace("{port}", str(self.port)) for part in self.command]
        self.process = subprocess.Popen(command, cwd=ROOT, stdout=quiet, stderr=quiet)

    def end(self, how: signal.Signals = signal.SIGKILL) -> None:
        assert self.process is not None
        self.process.send_signal(how)
        self.process.wait(60)


def llama_cpp() -> RealServer:
    """As the small model is served, with less context."""
    start = (
        "import sys, signal; from epitome.systems import local_server as served; "
        f"served.CONTEXT_OF_SLOT = {CONTEXT}; "
        "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT}); served.main()"
    )
    return RealServer(LLAMA_CPP, local_model.MODEL, 2, [sys.executable, "-c", start, "{port}"])


def llama_cpp_python() -> RealServer:
    command = [
        *(sys.executable, "-m", "llama_cpp.server", "--host", "127.0.0.1", "--port", "{port}"),
        *("--model", str(local_model.find_weights()), "--model_alias", local_model.MODEL, "--n_ctx", str(CONTEXT)),
    ]
    return RealServer(LLAMA_CPP_PYTHON, local_model.MODEL, 2, command)


def transformers_serve(folder: Path, end_token: int) -> RealServer:
    """folder: of a model whose tokenizer has a chat template."""
    run = "import os, sys; os.environ['HF_HUB_OFFLINE'] = '1'; from transformers.cli.transformers import main; main()"
    more = ["--host", "127.0.0.1", "--port", "{port}", "--device", "cpu"]
    return RealServer(TRANSFORMERS, str(folder), end_token, [sys.executable, "-c", run, "serve", str(folder), *more])
