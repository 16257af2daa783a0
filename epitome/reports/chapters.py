"""The chapters of a report: in which a table is, by its key."""

CHAPTERS = ("out", "differences", "agreement", "answers", "scores", "raters")
"""In reading order: what came out, differences with their tests, agreement, and the rest."""
_BY_START = (
    ("out", ("headline", "human-check")),
    (
        "differences",
        ("headline-differences", "win-matrix", "significance", "wins-", "strengths-", "combined-"),
    ),
    ("agreement", ("agreement", "numbers-agreement-", "concordance-", "human-check-agreement")),
    ("scores", ("systems", "metric-human", "ccsbench")),
    ("raters", ("raters", "judges")),
)
FOLDED = ("yes-rater-", "yes-all", "strengths-", "raters", "agreement-systems")
"""Tables that are folded behind their heading: one rater's shares, and what repeats a table before them."""


def chapter_of(key: str) -> str:
    """The chapter of a table; `answers` for everything that has no other place."""
    places = [(len(start), chapter) for chapter, starts in _BY_START for start in starts if key.startswith(start)]
    return max(places)[1] if places else "answers"


def order_tables(keys: list[str]) -> dict[str, list[str]]:
    """Chapter -> keys of its tables in reading order; chapters without tables are left out."""
    keys_by_chapter = {chapter: [key for key in keys if chapter_of(key) == chapter] for chapter in CHAPTERS}
    keys_by_chapter["differences"].sort(key=_rank_difference)
    keys_by_chapter["answers"].sort(key=lambda key: (key != "yes-pooled", keys.index(key)))
    return {chapter: chapter_keys for chapter, chapter_keys in keys_by_chapter.items() if chapter_keys}


def _rank_difference(key: str) -> int:
    starts = ("win-matrix", "headline-differences", "significance", "wins-", "combined-", "strengths-")
    return next((index for index, start in enumerate(starts) if key.startswith(start)), len(starts))


def is_folded(key: str) -> bool:
    """MACSum's Table 6, the shares of the first rater, stays open."""
    return key.startswith(FOLDED) and key != "yes-rater-1"
