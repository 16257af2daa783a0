"""The authorship record: how a summary came about, in counts, for those who agreed to it when they signed.

Every opened page counts for itself and sends its counts so far with each draft: characters typed and deleted, the
longest run of typing without a pause, and the size of each paste with where it came from. Counts only grow, so that a
repeated or late message changes nothing. No keystroke and no pasted text ever leaves the browser.

Where a paste came from is decided in the browser (static/js/pasted.js), after white space is made even:
`own`: the writer's own words, taken from the summary; `source`: copied on the page from the source, or 80 % of it or
more stand there in one piece; `outside`: all else.
"""

import re
from collections.abc import Mapping
from typing import Any

from annotation.kinds import PayloadRefused
from annotation.kinds.checks import check_fields, check_integer, check_list
from annotation.services.asking import raise_bad_input

ORIGINS = ("source", "outside", "own")
LARGE = 200
"""Characters from which on a paste from outside is listed for inspection."""
COUNTS = ("typed", "deleted", "bursts", "longest_burst")
MAX_COUNT = 10_000_000
MAX_PASTES = 100
MAX_PAGES = 100
KEPT_PASTES = 100
PAGE = re.compile(r"[A-Za-z0-9_-]{1,40}")
FIELDS = frozenset({"page", *COUNTS, "pastes"})

Pages = dict[str, dict[str, Any]]


def parse_page_counts(data: Any) -> dict[str, Any] | None:
    """The counts of one page, or None where none were sent. Raises BadInput naming the field."""
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
    """The pages of an attempt with what one of them has counted by now; the same twice is as good as once. A page
    beyond the hundredth is not counted, and the record says that it is incomplete."""
    if page_counts is None:
        return pages
    counts = {name: value for name, value in page_counts.items() if name != "page"}
    earlier_counts = pages.get(page_counts["page"])
    if earlier_counts is None and len(pages) >= MAX_PAGES:
        return {**pages, "": {"incomplete": True}}
    return {**pages, page_counts["page"]: _merge_page_states(earlier_counts, counts) if earlier_counts else counts}


def _merge_page_states(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, Any]:
    """Of two states of one page, the later one: whatever order they came in."""
    long, short = sorted((a["pastes"], b["pastes"]), key=len, reverse=True)
    pastes = [
        {**row, "size": max(row["size"], short[i]["size"])} if i < len(short) else row for i, row in enumerate(long)
    ]
    return {**{name: max(a[name], b[name]) for name in COUNTS}, "pastes": pastes}


def build_record(pages: Pages) -> dict[str, Any]:
    """What is stored with an annotation: {} where nothing was counted, else the counts of all its pages so far.

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
    """Of all characters that were put in: typed, pasted from the source, pasted from outside. None without a record,
    null shares where nothing was put in. The writer's own words moved about count as neither."""
    if not stored:
        return None
    characters = {"typed": stored["typed"], **{name: stored["pasted"][name] for name in ("source", "outside")}}
    total = sum(characters.values())
    return {name: round(value / total, 4) if total else None for name, value in characters.items()}


def build_export_fields(stored: Mapping[str, Any]) -> dict[str, Any] | None:
    """What an export tells when it is asked to: the shares, and the sizes that a reader of a dataset asks for."""
    share_values = compute_shares(stored)
    if share_values is None:
        return None
    return {**share_values, "largest_outside": largest_outside(stored), "longest_burst": stored["longest_burst"]}
