"""Kombu transports that survive invalid messages in a queue: such a message is dropped and logged.

Kombu's own transports would end the worker. A message is only a hint, so no work is lost with it.
"""

import logging
from json import JSONDecodeError
from queue import Empty
from typing import Any

from kombu.transport import filesystem, redis

log = logging.getLogger(__name__)
DECODE_ERRORS = (JSONDecodeError, UnicodeDecodeError, RecursionError)


def is_message(message: Any) -> bool:
    """Whether it has the keys that every message has."""
    if not isinstance(message, dict) or not isinstance(message.get("properties"), dict):
        return False
    return "body" in message and {"delivery_tag", "delivery_info"} <= set(message["properties"])


class ValidatingMixin:
    """Mixin for a virtual transport: invalid messages are not delivered."""

    def _deliver(self, message: Any, queue: str) -> None:
        if is_message(message):
            super()._deliver(message, queue)  # type: ignore[misc]
        else:
            log.error("something in the queue %s is no message; it was dropped", queue)


class RedisChannel(redis.Channel):  # type: ignore[misc]
    def _brpop_read(self, **options: Any) -> Any:
        try:
            return super()._brpop_read(**options)
        except DECODE_ERRORS as error:
            log.error("something in a queue is no JSON; it was dropped: %s", error)
            return True


class RedisTransport(ValidatingMixin, redis.Transport):  # type: ignore[misc]
    Channel = RedisChannel


class FilesChannel(filesystem.Channel):  # type: ignore[misc]
    def _get(self, queue: str) -> Any:  # type: ignore[override]
        try:
            return super()._get(queue)
        except DECODE_ERRORS as error:
            log.error("something in the queue %s is no JSON; it was dropped: %s", queue, error)
            raise Empty from error


class FilesTransport(ValidatingMixin, filesystem.Transport):  # type: ignore[misc]
    Channel = FilesChannel
