"""Upload handler that writes to disk, never to memory, and enforces the size limit."""

from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import TemporaryFileUploadHandler


class LimitedUploadHandler(TemporaryFileUploadHandler):
    """Stops reading after EPITOME_MAX_UPLOAD bytes with RequestDataTooBig (413); larger files come by command."""

    received = 0

    def handle_raw_input(
        self, input_data: Any, META: Any, content_length: int, boundary: Any, encoding: Any = None
    ) -> None:
        """Check the Content-Length before the first byte is written."""
        if content_length > settings.EPITOME_MAX_UPLOAD + settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            raise too_large()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self.received += len(raw_data)
        if self.received > settings.EPITOME_MAX_UPLOAD:
            raise too_large()
        super().receive_data_chunk(raw_data, start)


def too_large() -> RequestDataTooBig:
    return RequestDataTooBig(f"The upload is over {settings.EPITOME_MAX_UPLOAD} bytes.")
