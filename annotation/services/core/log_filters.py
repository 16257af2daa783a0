"""Keeps the log readable when strangers or an outage would fill it with tracebacks."""

import logging

from django.core.exceptions import DisallowedHost

MAX_MESSAGE = 300


class ShortenKnown(logging.Filter):
    """One line, without traceback, for a foreign Host header and for a failing database or disk."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and is_known(error):
            cause = "" if isinstance(error, DisallowedHost) else f" ({type(error).__name__}: {error})"
            message = " ".join(f"{record.getMessage()}{cause}".split())
            record.msg, record.args = message[:MAX_MESSAGE], None
            record.exc_info = record.exc_text = None
        return True


def is_known(error: BaseException) -> bool:
    from annotation.outages import find_outage

    return isinstance(error, DisallowedHost) or find_outage(error) is not None
