"""For migrations: SQLite changes a table by recreating and renaming it, which triggers of other apps must allow."""

from collections.abc import Callable
from typing import Any


def rename_alone(is_on: bool) -> Callable[[Any, Any], None]:
    """A step for RunPython: with it on, a renaming leaves triggers of other tables alone, which name the table while it
    is gone. Nothing on other databases."""

    def switch(_apps: Any, editor: Any) -> None:
        if editor.connection.vendor == "sqlite":
            editor.execute(f"PRAGMA legacy_alter_table = {'ON' if is_on else 'OFF'}")

    return switch
