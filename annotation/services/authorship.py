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

from annotation.kinds import Refused
from annotation.kinds.checks import known_fields, rows, whole
from annotation.services.asking import refuse

ORIGINS = ("source", "outside", "own")
LARGE = 200
"""Characters from which on a paste from outside is listed for inspection."""
COUNTS = ("typed", "deleted", "bursts", "longest_burst")
MOST = 10_000_000
MAX_PASTES = 100
MAX_PAGES = 100
KEPT_PASTES = 100
PAGE = re.compile(r"[A-Za-z0-9_-]{1,40}")
FIELDS = frozenset({"page", *COUNTS, "pastes"})

Pages = dict[str, dict[str, Any]]


def checked(given: Any) -> dict[str, Any] | None:
    """The counts of one page, or None where none were sent. Raises BadInput naming the field."""
    if given is None:
        return None
    try:
        return _checked(given)
    except Refused as error:
        refuse(error)


def _checked(given: Any) -> dict[str, Any]:
    told = known_fields(given, FIELDS, "authorship")
    page = told.get("page")
    if not isinstance(page, str) or not PAGE.fullmatch(page):
        raise Refused("authorship.page", "must be 1 to 40 letters, digits, - or _")
    counts = {name: whole(told.get(name, 0), f"authorship.{name}", 0, MOST) for name in COUNTS}
    pastes = rows(told.get("pastes", []), "authorship.pastes", MAX_PASTES)
    return {"page": page, **counts, "pastes": [_paste(row, f"authorship.pastes[{i}]") for i, row in enumerate(pastes)]}


def _paste(row: Any, place: str) -> dict[str, Any]:
    told = known_fields(row, frozenset({"size", "origin"}), place)
    if told.get("origin") not in ORIGINS:
        raise Refused(f"{place}.origin", f"must be one of {', '.join(ORIGINS)}")
    return {"size": whole(told.get("size"), f"{place}.size", 0, MOST), "origin": told["origin"]}


def merged(pages: Pages, given: Mapping[str, Any] | None) -> Pages:
    """The pages of an attempt with what one of them has counted by now; the same twice is as good as once. A page
    beyond the hundredth is not counted, and the record says that it is incomplete."""
    if given is None:
        return pages
    counts = {name: value for name, value in given.items() if name != "page"}
    before = pages.get(given["page"])
    if before is None and len(pages) >= MAX_PAGES:
        return {**pages, "": {"incomplete": True}}
    return {**pages, given["page"]: _larger(before, counts) if before else counts}


def _larger(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, Any]:
    """Of two states of one page, the later one: whatever order they came in."""
    long, short = sorted((a["pastes"], b["pastes"]), key=len, reverse=True)
    pastes = [
        {**row, "size": max(row["size"], short[i]["size"])} if i < len(short) else row for i, row in enumerate(long)
    ]
    return {**{name: max(a[name], b[name]) for name in COUNTS}, "pastes": pastes}


def record(pages: Pages) -> dict[str, Any]:
    """What is stored with an annotation: {} where nothing was counted, else the counts of all its pages so far.

    pasted: characters by origin; pastes: the sizes, the largest `KEPT_PASTES` of them; pages: how many were counted.
    """
    counted = [page for key, page in pages.items() if key]
    if not counted:
        return {}
    pastes = [paste for page in counted for paste in page["pastes"]]
    found: dict[str, Any] = {"pages": len(counted)}
    for name in ("typed", "deleted", "bursts"):
        found[name] = sum(page[name] for page in counted)
    found["longest_burst"] = max(page["longest_burst"] for page in counted)
    found["pasted"] = {one: sum(row["size"] for row in pastes if row["origin"] == one) for one in ORIGINS}
    found["pastes"] = sorted(pastes, key=lambda row: (-row["size"], row["origin"]))[:KEPT_PASTES]
    return {**found, "incomplete": True} if "" in pages else found


def largest_outside(stored: Mapping[str, Any]) -> int:
    """Characters of the largest paste from outside."""
    return max((row["size"] for row in stored.get("pastes", ()) if row["origin"] == "outside"), default=0)


def shares(stored: Mapping[str, Any]) -> dict[str, float | None] | None:
    """Of all characters that were put in: typed, pasted from the source, pasted from outside. None without a record,
    null shares where nothing was put in. The writer's own words moved about count as neither."""
    if not stored:
        return None
    put = {"typed": stored["typed"], **{name: stored["pasted"][name] for name in ("source", "outside")}}
    total = sum(put.values())
    return {name: round(value / total, 4) if total else None for name, value in put.items()}


def told(stored: Mapping[str, Any]) -> dict[str, Any] | None:
    """What an export tells when it is asked to: the shares, and the sizes that a reader of a dataset asks for."""
    found = shares(stored)
    if found is None:
        return None
    return {**found, "largest_outside": largest_outside(stored), "longest_burst": stored["longest_burst"]}
