"""The broker of a folder of files."""

from kombu.transport import filesystem

from epitome.transports.dropping import DroppingMixin, ValidMessage


class FilesChannel(filesystem.Channel):  # type: ignore[misc]
    Message = ValidMessage


class FilesTransport(DroppingMixin, filesystem.Transport):  # type: ignore[misc]
    Channel = FilesChannel
