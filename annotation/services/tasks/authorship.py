"""The authorship record: counts of how a summary was written, for annotators who consented when they signed.

Every opened page keeps its own counts and sends them with each draft: characters typed and deleted, the longest run of
typing without a pause, and size and origin of each paste. Counts only grow, so repeated or late messages change
nothing. Keystrokes and pasted texts never leave the browser.

The browser decides the origin of a paste (static/js/pasted.js), after normalizing white space:
`own`: text from the summary itself; `source`: copied from the source on the page, or at least 80 % of it occurs there
in one piece; `outside`: everything else.
"""

import re
from collections.abc import Mapping
from typing import Any

from annotation.kinds import PayloadRefused
from annotation.kinds.checks import check_fields, check_integer, check_list
from annotation.services.tasks.task_context import raise_bad_input

ORIGINS = ("source", "outside", "own")
LARGE = 200
"""Minimum size in characters for a paste from outside to be listed for inspection."""
COUNTS = ("typed", "deleted", "bursts", "longest_burst")
MAX_COUNT = 10_000_000
MAX_PASTES = 100
MAX_PAGES = 100
KEPT_PASTES = 100
PAGE = re.compile(r"[A-Za-z0-9_-]{1,40}")
FIELDS = frozenset({"page", *COUNTS, "pastes"})

Pages = dict[str, dict[str, Any]]


def parse_page_counts(data: Any) -> dict[str, Any] | None:
    """Validate the counts of one page; None if none were sent. Raises BadInput naming the field."""
    if data is None:
        return None
    try:
        return _parse_fields(data)
    except PayloadRefused as error:
        raise_bad_input(error)


def _parse_fields(data: Any) -> dict[str, Any]:
    values = check_fields(data, FIELDS, "authorship")
    page = values.get("page")
    if not isinstance(page, str) or not PAGE.fullmatch(page):
        raise PayloadRefused("authorship.page", "must be 1 to 40 letters, digits, - or _")
    counts = {name: check_integer(values.get(name, 0), f"authorship.{name}", 0, MAX_COUNT) for name in COUNTS}
    pastes = check_list(values.get("pastes", []), "authorship.pastes", MAX_PASTES)
    return {
        "page": page,
        **counts,
        "pastes": [_parse_paste(row, f"authorship.pastes[{i}]") for i, row in enumerate(pastes)],
    }


def _parse_paste(row: Any, place: str) -> dict[str, Any]:
    values = check_fields(row, frozenset({"size", "origin"}), place)
    if values.get("origin") not in ORIGINS:
        raise PayloadRefused(f"{place}.origin", f"must be one of {', '.join(ORIGINS)}")
    return {"size": check_integer(values.get("size"), f"{place}.size", 0, MAX_COUNT), "origin": values["origin"]}


def merge_page_counts(pages: Pages, page_counts: Mapping[str, Any] | None) -> Pages:
    """Merge the current counts of one page into the pages of an attempt; idempotent. Pages beyond the hundredth are
    not counted, and the record is marked as incomplete."""
    if page_counts is None:
        return pages
    counts = {name: value for name, value in page_counts.items() if name != "page"}
    earlier_counts = pages.get(page_counts["page"])
    if earlier_counts is None and len(pages) >= MAX_PAGES:
        return {**pages, "": {"incomplete": True}}
    return {**pages, page_counts["page"]: _merge_page_states(earlier_counts, counts) if earlier_counts else counts}


def _merge_page_states(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two states of one page, regardless of the order in which they arrived."""
    long, short = sorted((a["pastes"], b["pastes"]), key=len, reverse=True)
    pastes = [
        {**row, "size": max(row["size"], short[i]["size"])} if i < len(short) else row for i, row in enumerate(long)
    ]
    return {**{name: max(a[name], b[name]) for name in COUNTS}, "pastes": pastes}


def build_record(pages: Pages) -> dict[str, Any]:
    """The record stored with an annotation: {} if nothing was counted, else the totals of all its pages.

    pasted: characters by origin; pastes: the sizes, the largest `KEPT_PASTES` of them; pages: how many were counted.
    """
    counted_pages = [page for key, page in pages.items() if key]
    if not counted_pages:
        return {}
    pastes = [paste for page in counted_pages for paste in page["pastes"]]
    totals: dict[str, Any] = {"pages": len(counted_pages)}
    for name in ("typed", "deleted", "bursts"):
        totals[name] = sum(page[name] for page in counted_pages)
    totals["longest_burst"] = max(page["longest_burst"] for page in counted_pages)
    totals["pasted"] = {origin: sum(row["size"] for row in pastes if row["origin"] == origin) for origin in ORIGINS}
    totals["pastes"] = sorted(pastes, key=lambda row: (-row["size"], row["origin"]))[:KEPT_PASTES]
    return {**totals, "incomplete": True} if "" in pages else totals


def largest_outside(stored: Mapping[str, Any]) -> int:
    """Characters of the largest paste from outside."""
    return max((row["size"] for row in stored.get("pastes", ()) if row["origin"] == "outside"), default=0)


def compute_shares(stored: Mapping[str, Any]) -> dict[str, float | None] | None:
    """Shares of all entered characters: typed, pasted from the source, pasted from outside. None without a record,
    null shares if nothing was entered. Pastes of the writer's own text are not counted."""
    if not stored:
        return None
    characters = {"typed": stored["typed"], **{name: stored["pasted"][name] for name in ("source", "outside")}}
    total = sum(characters.values())
    return {name: round(value / total, 4) if total else None for name, value in characters.items()}


def build_export_fields(stored: Mapping[str, Any]) -> dict[str, Any] | None:
    """The authorship fields of an export line: shares, largest paste from outside, longest typing burst."""
    share_values = compute_shares(stored)
    if share_values is None:
        return None
    return {**share_values, "largest_outside": largest_outside(stored), "longest_burst": stored["longest_burst"]}
