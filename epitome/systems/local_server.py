"""python -m epitome.systems.local_server PORT: llama.cpp serves the small language model on 127.0.0.1 until it ends.

It speaks OpenAI's protocol. Two requests at once, each with half of the context: a longer one is refused with 400.
"""

import os
import signal
import sys
from typing import Any

from epitome.systems.local_model import ENGINE, MODEL, find_adapter, find_weights

SLOTS = 2
CONTEXT_OF_SLOT = 4096
"""Tokens of prompt and answer; the model was trained for 8,192."""


def start_server(port: int) -> Any:
    """The running server; it ends with the process. Raises as find_weights, find_adapter."""
    from importlib import import_module

    engine = import_module(ENGINE)
    parameters = engine.CommonParams()
    parameters.model.path = str(find_weights())
    parameters.model_alias = {MODEL}
    # In memory, but only in the answers to requests that name it: lora = [{ id = 0, scale = 1.0 }].
    parameters.lora_adapters = [engine.CommonAdapterLoraInfo(str(find_adapter()), 0.0)]
    parameters.lora_init_without_apply = True
    parameters.hostnames, parameters.port = ["127.0.0.1"], port
    parameters.n_parallel, parameters.n_ctx = SLOTS, SLOTS * CONTEXT_OF_SLOT
    parameters.verbosity = 0
    threads = max(1, (os.cpu_count() or 1) // 2)  # its threads wait for each other in loops: never more than are free
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    return engine.Server(parameters)


def main() -> None:
    serving = start_server(int(sys.argv[1]))
    signal.sigwait({signal.SIGTERM, signal.SIGINT})
    del serving


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
    main()
