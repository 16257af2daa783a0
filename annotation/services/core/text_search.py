"""Rows that contain a text, for the filters of pages and API alike."""

from django.db.models import Q


def contains(text: str, *columns: str) -> Q:
    """Rows in which one of the columns contains the text, in any case. SQLite folds the case of ASCII letters only."""
    condition = Q()
    for column in columns:
        condition |= Q(**{f"{column}__icontains": text})
    return condition
