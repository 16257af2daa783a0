"""What can go wrong, in the words of the API: what was refused, which field, what to do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MOST_FAULTS = 5
"""Faults of a file that a message lists; all that came are in `faults`."""


class ClientError(Exception):
    """Anything that the client raises."""


class WrongSettings(ClientError):
    """The client was made with an address, token or file that cannot be used."""


class ConnectionFailed(ClientError):
    """The site could not be reached, or the connection broke."""


class BadAnswer(ClientError):
    """The answer is none of Epitome's API."""


class DownloadFailed(ClientError):
    """A file did not arrive whole; nothing of it was left on the disk."""


class WaitedTooLong(ClientError):
    """A job or run was not over in the time given. It continues; wait for it again."""


@dataclass(frozen=True, slots=True)
class FieldError:
    """One field that was refused, with the reason."""

    field: str
    message: str


class ApiError(ClientError):
    """The API refused a call.

    status: of HTTP. code: one word for programs. detail: what was wrong and what to do. fields: each refused field.
    faults: of an uploaded file, each with its place. problem: the whole problem document.
    """

    def __init__(self, status: int, call: str, problem: Mapping[str, Any]) -> None:
        self.status = status
        self.call = call
        self.problem = dict(problem)
        self.code = str(problem.get("code") or "")
        self.detail = str(problem.get("detail") or problem.get("title") or "The call was refused.")
        self.fields = [
            FieldError(str(row.get("field", "")), str(row.get("message", "")))
            for row in problem.get("errors") or []
            if isinstance(row, Mapping)
        ]
        self.faults = [row for row in problem.get("faults") or [] if isinstance(row, Mapping)]
        super().__init__(self._describe())

    def _describe(self) -> str:
        lines = [f"{self.status} {self.call}: {self.detail}"]
        lines += [f"  {row.field}: {row.message}" for row in self.fields if row.message not in self.detail]
        return "\n".join([*lines, *describe_faults(self.faults)])


class BadInput(ApiError):
    """400, 413, 415 or 422: a value is missing or cannot be used; `fields` names each."""


class NotSignedIn(ApiError):
    """401: the token is missing, unknown, expired or revoked."""


class NotAllowed(ApiError):
    """403: the token may only read, or its owner may not do this now."""


class NotFound(ApiError):
    """404: there is no such thing, or it is not the owner's of the token."""


class Conflict(ApiError):
    """409: somebody or something else was first; nothing was overwritten."""


class TooManyRequests(ApiError):
    """429, also after the client's retries."""


class Unavailable(ApiError):
    """5xx: the site cannot answer now. Whether a call that writes was carried out is not known."""


class JobFailed(ClientError):
    """A job or run ended without a result. job: as the API describes it; state: failed, dead or cancelled."""

    def __init__(self, job: Mapping[str, Any], words: str) -> None:
        self.job = dict(job)
        self.state = str(job.get("state", ""))
        self.faults = [row for row in job.get("faults") or [] if isinstance(row, Mapping)]
        error = str(job.get("error") or "")
        head = f"{words} ended as {self.state}" + (f": {error}" if error else ".")
        super().__init__("\n".join([head, *describe_faults(self.faults)]))


CLASSES: dict[int, type[ApiError]] = {
    400: BadInput,
    401: NotSignedIn,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    413: BadInput,
    415: BadInput,
    422: BadInput,
    429: TooManyRequests,
}


def build_error(status: int, call: str, problem: Mapping[str, Any]) -> ApiError:
    """The error of a status."""
    kind = CLASSES.get(status) or (Unavailable if status >= 500 else ApiError)
    return kind(status, call, problem)


def describe_faults(faults: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line for each of the first faults of a file, and one for the number of the others."""
    lines = []
    for fault in faults[:MOST_FAULTS]:
        place = [f"{name} {fault[name]}" for name in ("line", "row", "record", "field") if fault.get(name)]
        words = str(fault.get("message") or fault.get("problem") or fault.get("error") or dict(fault))
        lines.append(f"  {', '.join(place)}: {words}" if place else f"  {words}")
    if len(faults) > MOST_FAULTS:
        lines.append(f"  and {len(faults) - MOST_FAULTS} more")
    return lines
