"""Errors of commands: one line for a person, an exit status, never a traceback."""

MAX_LINE = 480


class CommandFault(Exception):
    """A command cannot go on; `status` 1: its input is at fault, 2: how it was called."""

    def __init__(self, message: str, status: int = 1) -> None:
        line = " ".join(str(message).split())
        super().__init__(line if len(line) <= MAX_LINE else line[: MAX_LINE - 3] + "...")
        self.status = status
