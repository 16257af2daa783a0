"""Which fields of pages' forms and addresses name an object, each with what is sent so that it is looked up.

Every name that a view reads and every field of a form stands here or among the words: a new one fails
tests/security/test_forms.py.
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Sent:
    """page: its name in tests/pages/access_table.py. field and kind (of theirs.name_trios): what is swapped.

    others: the rest of the form. by_get: the field stands in the address.
    """

    page: str
    field: str
    kind: str
    others: tuple[tuple[str, Any], ...] = ()
    by_get: bool = False


CASES = (
    Sent("members", "username", "person", (("do", "remove"), ("role", "rater"))),
    Sent("members", "person", "person", (("do", "bulk"), ("action", "pause"))),
    Sent("skips", "sample", "left sample", (("do", "back"),)),
    Sent("affected", "assignment", "assignment", (("do", "act"), ("action", "return"))),
    Sent("publication-hits", "hit", "hit", (("decision", "mask"),)),
    Sent("contrastives-exclude", "example", "example", (("do", "exclude"),)),
    Sent("practice-setup", "item", "practice", (("do", "remove"),)),
    Sent("practice-setup", "person", "annotator", (("do", "let_on"),)),
    Sent("pilot", "sample", "sample", (("do", "remove"),)),
    Sent("steering", "person", "annotator", (("do", "preview"), ("kind", "release"))),
    Sent("steering", "to", "annotator", (("do", "preview"), ("kind", "reassign"), ("person", "annotator"))),
    Sent("withdrawals", "person", "person", (("do", "preview"), ("mask_name", "on"))),
    Sent("overlap-compare", "annotation", "annotation", (("do", "mark"), ("mark", "one"))),
    Sent("round", "rater", "person", (("do", "resume"),)),
    Sent("cases", "delete", "run"),
    Sent("runs-compare", "run", "run", by_get=True),
    Sent("rankings", "run", "run", by_get=True),
    Sent("contrastive-report", "run", "run", by_get=True),
    Sent("aggregation-report", "release", "release", by_get=True),
    Sent("annotations", "person", "annotator", by_get=True),
    Sent("rounds-together", "round", "round", by_get=True),
    Sent("system-new", "from", "runnable", by_get=True),
    Sent("trainings", "from", "training", by_get=True),
    Sent("samples", "source", "source", by_get=True),
)

CHOICES = {
    *("annotator", "joins", "leaves", "judge", "judges", "raters", "runs", "leads_to", "system", "submission", "link"),
    *(
        "template",
        "target",
        "others",
        "draw",
        "base",
        "against",
        "revision",
        "preset",
        "batch",
        "revoke",
        "step",
        "over",
        "suggestions_from",
    ),
}
"""Chosen from a list that is made of the project's own rows, or numbered within an object of the address."""
ELSEWHERE = {
    "file": "tests/pages/test_import_pages.py",  # a signed name of a file that was sent to this project
    "project": "tests/pages/test_search.py",
    "token": "tests/pages/test_access.py",
}
WORDS = {
    *("about", "action", "addresses", "again", "algorithm", "all", "alone_focus", "alone_keywords", "alone_length"),
    *("alone_readability", "also_segments", "anchor", "answer", "answers", "asks", "aspect", "assistance", "attempt"),
    *("authorship", "before", "budget", "by", "category", "change", "choice", "claim_unit", "code", "code_no_work"),
    *("code_screened_out", "combination", "config", "confirmed", "consent", "currency", "days", "decision"),
    *("description", "devices", "did", "do", "email", "encoding", "events", "expect", "expected", "extra"),
    *(
        "extra_measure",
        "figure",
        "forget",
        "format",
        "grid",
        "hash",
        "id_parameter",
        "key",
        "kind",
        "label",
        "language",
    ),
    *("licence", "list_separator", "mark", "max_words", "measure", "more_by", "most_unit", "n", "name", "names"),
    *("needed_segments", "new_label", "next", "note", "notes", "notes_to_next", "number", "of", "opened", "origin"),
    *("overlap", "page", "pairs_by", "part", "password", "pay_currency", "payload", "per", "permission", "phases"),
    *("purpose", "q", "quality", "question", "reason", "reference", "repository", "request", "return_url", "role"),
    *("roles", "rules", "said", "schema", "scope", "score", "seed", "segment", "session_parameter", "shares", "show"),
    *("since", "slug", "sort", "split", "split_by", "state", "stopping", "stratify", "study", "study_parameter"),
    *("summary", "summary_lists", "summary_metadata", "table", "tag", "text", "texts", "theme", "timezone", "title"),
    *("together", "toml", "topics_only", "url", "values", "verdict", "version", "week", "who", "why", "without"),
}
ALIKE = {
    ("cases", "delete"): "the project has no case",
    ("pilot", "sample"): "the own sample is in no pilot",
    ("affected", "assignment"): "no summary is affected by a change of the guideline",
    ("rankings", "run"): "no run of the project ranks",
    ("contrastive-report", "run"): "no run of the project scores examples",
}
"""Forms that answer the own object of this world as one that nobody has, and why."""
