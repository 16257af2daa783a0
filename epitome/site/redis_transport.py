"""The broker Redis. An invalid message in a queue is dropped and logged; kombu's own transport would end the worker.

A message is only a hint, so no work is lost with it. Only names that kombu documents for transports are overridden:
Transport.drain_events and on_readable, Transport.Channel, Channel.Message.
"""

import logging
from json import JSONDecodeError
from typing import Any

from kombu.transport import redis
from kombu.transport.virtual import Message

log = logging.getLogger(__name__)


class InvalidMessage(ValueError):
    """Something in a queue is JSON, but no message."""


UNREADABLE = (JSONDecodeError, UnicodeDecodeError, RecursionError, InvalidMessage)


class ValidMessage(Message):  # type: ignore[misc]
    """Refuses a payload without the keys that every message has, before the message counts as delivered."""

    def __init__(self, payload: Any, *args: Any, **kwargs: Any) -> None:
        properties = payload.get("properties") if isinstance(payload, dict) else None
        if not isinstance(properties, dict) or "body" not in payload:
            raise InvalidMessage("no message")
        if not {"delivery_tag", "delivery_info"} <= set(properties):
            raise InvalidMessage("a message without delivery information")
        super().__init__(payload, *args, **kwargs)


class RedisChannel(redis.Channel):  # type: ignore[misc]
    Message = ValidMessage


class RedisTransport(redis.Transport):  # type: ignore[misc]
    Channel = RedisChannel

    def drain_events(self, connection: Any, timeout: float | None = None) -> None:  # type: ignore[override]
        try:
            super().drain_events(connection, timeout=timeout)
        except UNREADABLE as error:
            log_dropped(error)

    def on_readable(self, fileno: int) -> None:  # type: ignore[override]
        """What a worker with an event loop calls in place of drain_events."""
        try:
            super().on_readable(fileno)
        except UNREADABLE as error:
            log_dropped(error)


def log_dropped(error: Exception) -> None:
    log.error("something in a queue is no message; it was dropped: %s", error)
