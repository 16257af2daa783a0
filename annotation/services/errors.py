"""What services refuse, in the words a person can act on. Views turn them into pages, the API into problem details."""

from typing import Any


class ServiceError(Exception):
    """Something a person asked for was refused. `field` names the input, `extra` is shown beside the message."""

    status = 400

    def __init__(self, message: str, *, field: str = "", code: str = "", **extra: Any) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.code = code or type(self).__name__.lower()
        self.extra = extra


class BadInput(ServiceError):
    """A value cannot be used; nothing was stored."""

    status = 422


class NotFound(ServiceError):
    """Unknown, or not yours: the two look alike."""

    status = 404


class Conflict(ServiceError):
    """Somebody or something else was first; nothing was overwritten."""

    status = 409


class TooMany(ServiceError):
    """A limit was reached; try again later."""

    status = 429
