"""German: 3. November 2026, 14:05; 3. Nov. 2026."""

from typing import Any

from epitome.site.date_formats import MACHINE_READABLE, build_patterns

FORMATS: dict[str, Any] = {
    **MACHINE_READABLE,
    **build_patterns(
        day_month="j. F",
        short_day_month="j.\N{NO-BREAK SPACE}N",
        year="j. F Y",
        short_year="j.\N{NO-BREAK SPACE}N Y",
        comma=", ",
    ),
}


def __getattr__(name: str) -> Any:
    if name not in FORMATS:
        raise AttributeError(name)
    return FORMATS[name]
