"""Typed values from the environment: text, switches and whole numbers."""

import os

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off", ""}


class BadSetting(Exception):
    """A setting from the environment cannot be used; the message names it, the value seen and what to do."""


def read_text(name: str, default: str = "") -> str:
    return os.environ.get(name, default).strip()


def read_flag(name: str, default: bool) -> bool:
    value = os.environ.get(name)
    if value is None:
        return default
    if value.strip().lower() in TRUE:
        return True
    if value.strip().lower() in FALSE:
        return False
    raise BadSetting(f"{name}={value!r} is not a switch; use 1 or 0")


def read_number(name: str, default: int, *, low: int = 0, high: int = 10**9) -> int:
    value = os.environ.get(name)
    if value is None or not value.strip():
        return default
    try:
        parsed = int(value)
    except ValueError:
        raise BadSetting(f"{name}={value!r} is not a whole number") from None
    if not low <= parsed <= high:
        raise BadSetting(f"{name}={parsed} is out of range; use {low} to {high}")
    return parsed
