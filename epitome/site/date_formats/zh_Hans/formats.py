"""Chinese: 2026年11月3日 14:05, in every place."""

from typing import Any

from epitome.site.date_formats import MACHINE_READABLE, build_patterns

FORMATS: dict[str, Any] = {
    **MACHINE_READABLE,
    **build_patterns(
        day_month="n月j日",
        short_day_month="n月j日",
        year="Y年n月j日",
        short_year="Y年n月j日",
        comma=" ",
    ),
}


def __getattr__(name: str) -> Any:
    if name not in FORMATS:
        raise AttributeError(name)
    return FORMATS[name]
