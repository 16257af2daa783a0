"""Log records as JSON, one object per line (EPITOME_LOG_FORMAT=json)."""

import json
import logging
from datetime import UTC, datetime
from typing import Any

from epitome.site.request_log import current_request

RESPONSE_FIELDS = ("status", "ms")


class JsonFormatter(logging.Formatter):
    """time, level, logger, message; of a request also request_id, method, path, status, ms; of an error, exception."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **(current_request() or getattr(getattr(record, "request", None), "log_fields", {})),
        }
        if (status := getattr(record, "status_code", None)) is not None:  # set by Django's own request log
            line["status"] = status
        line.update({name: getattr(record, name) for name in RESPONSE_FIELDS if hasattr(record, name)})
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        elif record.exc_text:
            line["exception"] = record.exc_text
        if record.stack_info:
            line["stack"] = self.formatStack(record.stack_info)
        return json.dumps(line, ensure_ascii=True, default=str)
