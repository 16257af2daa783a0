"""What people wrote about a text, as files of other tools give it: answers with a state and an author.

Only answers of a state that is taken become references; the others are counted. Who wrote one is a pseudonym, stable
within a project, in whatever leaves the site; the name stays beside it in the project's database, as those of its own
people do.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from epitome.formats.translated_names import fold_word, list_names

SUBMITTED, DRAFT, REJECTED, DISCARDED, SKIPPED, IGNORED = (
    "submitted",
    "draft",
    "rejected",
    "discarded",
    "skipped",
    "ignored",
)
STATES = (SUBMITTED, DRAFT, REJECTED, DISCARDED, SKIPPED, IGNORED)
UNKNOWN = "unknown"
"""The state of an answer whose word is none of ours: left out unless somebody takes it."""
REPEATED = "repeated"
"""Counts answers that stand in further rows of a source, with the same text by the same author."""
_WORDS = {
    SUBMITTED: "submitted approved accepted accept complete completed done finished published validated final "
    "awaitingreview",
    DRAFT: "draft pending inprogress started saved partial incomplete unsubmitted open todo",
    REJECTED: "rejected reject refused declined disapproved failed invalid",
    DISCARDED: "discarded discard cancelled canceled deleted withdrawn returned timedout expired abandoned",
    SKIPPED: "skipped skip passed",
    IGNORED: "ignored ignore",
}
_STATE_OF = {word: state for state, words in _WORDS.items() for word in words.split()}
STATE_COLUMNS = ("assignmentstatus", "answerstatus", "responsestatus", "annotationstatus", "reviewstatus", "status")
"""Names of columns of states, folded, the surest first; `answer` and `state` count only by their content."""
APPROVE, REJECT = "approve", "reject"
"""Names of two columns, folded, of which a reviewer marks one."""
_PEOPLE = (
    "workerid worker workername annotator annotators annotatorid annotatorids annotatorname annotatoremail completedby "
    "updatedby createdby user users userid userids username useremail labeler labelerid labeller rater raterid raters "
    "turkerid participantid prolificid prolificpid annotatedby writtenby reviewedby reviewer reviewerid approvedby "
    "coder coderid assignee assignedto crowdworker crowdworkerid"
)
PERSON_COLUMNS = frozenset((*_PEOPLE.split(), *list_names("person")))
"""Names of columns that say who worked, folded. Not `author` or `speaker`, which are people of the texts."""
AUTHOR_COLUMNS = (
    *("annotator", "annotatorid", "workerid", "worker", "completedby", "userid", "username", "user"),
    *list_names("person"),
)
"""Those of them that say who wrote a summary, the best first."""
_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
AUTHOR_NAME = "author_name"
"""The key of the author's name in the stored JSON of a reference."""
MAX_NAME = 120
"""Characters of a name or address; what is longer names nobody."""
DIGITS = 12


@dataclass(frozen=True, slots=True)
class Answer:
    """One text that a person wrote about a source. state: one of STATES, or UNKNOWN. author: as the file names the
    person, "" for nobody. relevant_segments: as of a reference."""

    text: str
    title: str = ""
    state: str = SUBMITTED
    author: str = ""
    attributes: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    relevant_segments: Sequence[Any] = ()

    def __str__(self) -> str:
        return self.text


def fold_name(name: str) -> str:
    """The name of a column without case and punctuation, for comparing."""
    return fold_word(name)


def find_state(word: object) -> str | None:
    """The state that a file's word for it means; None for a word that is none. Nothing, as of an empty cell, is
    submitted: such a file says nothing."""
    if word is None or word == "":
        return SUBMITTED
    return _STATE_OF.get(fold_name(str(word)))


def read_state(row: Mapping[str, Any], column: str) -> str:
    """The state that a column gives to the answers of a row. A column `Reject` beside one `Approve` holds marks: a row
    that bears neither is submitted, one that bears both is unknown."""
    approvals = [value for name, value in row.items() if fold_name(name) == APPROVE]
    if fold_name(column) != REJECT or not approvals:
        return find_state(row.get(column)) or UNKNOWN
    is_rejected, is_approved = has_mark(row.get(column)), any(map(has_mark, approvals))
    if is_rejected and is_approved:
        return UNKNOWN
    return REJECTED if is_rejected else SUBMITTED


def has_mark(value: object) -> bool:
    """Whether a cell of a column such as `Reject` is marked: by an x, a word or a reason."""
    return value is not None and str(value).strip().lower() not in ("", "0", "false", "no", "nan", "none")


def is_person_column(name: str) -> bool:
    """Whether a column, by its name or the last part of it, says who worked."""
    return fold_name(name) in PERSON_COLUMNS or fold_name(name.rsplit(".", 1)[-1]) in PERSON_COLUMNS


class Authors:
    """Pseudonyms in the place of people's names. key: of the project, so that pseudonyms of two projects differ."""

    def __init__(self, key: str = "") -> None:
        self.key = key.encode()
        self.known: dict[str, str] = {}

    def of(self, name: object) -> str:
        """The pseudonym of a person: twelve hexadecimal digits of an HMAC of the name. "" for nobody."""
        text = str(name).strip()
        if not text:
            return ""
        if text not in self.known:
            digest = hmac.new(self.key, b"author:" + text.casefold().encode("utf-8", "replace"), hashlib.sha256)
            self.known[text] = digest.hexdigest()[:DIGITS]
        return self.known[text]

    def hide(self, name: str, value: Any) -> Any:
        """A value of the metadata: people's names in columns of people, and cells that are nothing but an e-mail
        address, as pseudonyms; objects and lists inside are looked through."""
        if isinstance(value, dict):
            return {key: self.hide(key, item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.hide(name, item) for item in value]
        if value is None or isinstance(value, bool):
            return value
        text = str(value)
        if len(text) <= MAX_NAME and (is_person_column(name) or _ADDRESS.fullmatch(text.strip())):
            return self.of(text)
        return value


def hide_author_name(raw: str) -> str:
    """The stored JSON of a reference, without the name of its author, for whatever leaves the site."""
    if f'"{AUTHOR_NAME}"' not in raw:
        return raw
    entries = json.loads(raw)
    entries.pop(AUTHOR_NAME, None)
    return json.dumps(entries, ensure_ascii=False, separators=(", ", ": "))


def take_answers(answers: Sequence[Answer], states: Collection[str]) -> tuple[list[Answer], Counter[str]]:
    """The answers of the states that are taken, and how many of each other state are left out."""
    kept_answers = [answer for answer in answers if answer.state in states]
    return kept_answers, Counter(answer.state for answer in answers if answer.state not in states)
