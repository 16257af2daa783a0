"""Names of workers: the host, the process and, in leases and heartbeats, a random part."""

import os
import socket
import uuid

from annotation.models.leased_work import LeasedWorkQuerySet


def host_prefix() -> str:
    """How the names of this machine's workers begin."""
    return f"{socket.gethostname()[:60]}:"


def name_process() -> str:
    """This process, without a random part: host name and process id."""
    return f"{host_prefix()}{os.getpid()}"


def new_token() -> str:
    """The name under which one worker of this process holds its leases."""
    return f"{name_process()}:{uuid.uuid4().hex[:12]}"


def list_dead_holders(rows: LeasedWorkQuerySet) -> list[str]:  # type: ignore[type-arg]
    """The tokens of dead processes of this machine that hold leases, so that these need not expire first."""
    held = rows.filter(state=rows.model.work_states.leased, worker__startswith=host_prefix())
    return [token for token in set(held.values_list("worker", flat=True)) if not _is_alive(int(token.split(":")[-2]))]


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
