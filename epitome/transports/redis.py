"""The broker Redis."""

from kombu.transport import redis

from epitome.transports.dropping import UNREADABLE, DroppingMixin, ValidMessage, log_dropped


class RedisChannel(redis.Channel):  # type: ignore[misc]
    Message = ValidMessage


class RedisTransport(DroppingMixin, redis.Transport):  # type: ignore[misc]
    Channel = RedisChannel

    def on_readable(self, fileno: int) -> None:  # type: ignore[override]
        """What a worker with an event loop calls in place of drain_events."""
        try:
            super().on_readable(fileno)
        except UNREADABLE as error:
            log_dropped(error)
