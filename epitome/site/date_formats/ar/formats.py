"""Arabic: 3 نوفمبر 2026، 14:05; months have no short names."""

from typing import Any

from epitome.site.date_formats import MACHINE_READABLE, build_patterns

FORMATS: dict[str, Any] = {
    **MACHINE_READABLE,
    **build_patterns(
        day_month="j F",
        short_day_month="j F",
        year="j F Y",
        short_year="j F Y",
        comma="، ",
    ),
}


def __getattr__(name: str) -> Any:
    if name not in FORMATS:
        raise AttributeError(name)
    return FORMATS[name]
