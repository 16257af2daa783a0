"""What a system's process says of its machine: the device that it computes on, and the most memory it has used."""

import platform
import resource
import sys
from typing import Any

CPU = "CPU"


def describe_machine() -> dict[str, Any]:
    """device: the name of the GPU in use, or "CPU". peak_memory: bytes, of the GPU or of this process."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available() and (reserved := torch.cuda.max_memory_reserved()):
        return {"device": str(torch.cuda.get_device_name()), "peak_memory": int(reserved)}
    return {"device": CPU, "peak_memory": _peak_of_process()}


def _peak_of_process() -> int:
    """macOS counts bytes, Linux kilobytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if platform.system() == "Darwin" else peak * 1024
