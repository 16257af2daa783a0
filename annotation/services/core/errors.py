"""Errors of services with messages for users. Views turn them into pages, the API into problem details."""

from typing import Any

from django.utils.translation import gettext as _


class ServiceError(Exception):
    """A refused request. `field` names the input, `extra` is added to the message. retry_after: in how many seconds
    the same request may succeed, 0 where that is not known."""

    status = 400
    retry_after = 0

    def __init__(self, message: str, *, field: str = "", code: str = "", **extra: Any) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.code = code or type(self).__name__.lower()
        self.extra = extra


class BadInput(ServiceError):
    """Invalid input; nothing was stored."""

    status = 422


class NotFound(ServiceError):
    """Unknown or not permitted; both give the same error."""

    status = 404

    def __init__(self, message: str = "", *, field: str = "", code: str = "", **extra: Any) -> None:
        super().__init__(message or _("Not found, or you don't have access."), field=field, code=code, **extra)


class Conflict(ServiceError):
    """Another change was first; nothing was overwritten."""

    status = 409


class TooMany(ServiceError):
    """A limit was reached; try again later."""

    status = 429

    def __init__(self, message: str, *, retry_after: int = 0, field: str = "", code: str = "", **extra: Any) -> None:
        super().__init__(message, field=field, code=code, **extra)
        self.retry_after = retry_after
