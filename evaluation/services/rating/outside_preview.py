"""What a file of answers given in another tool holds for a round: which items, which answers, what has no place."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from annotation.services.core.errors import BadInput
from epitome.formats.answers import Authors
from epitome.formats.faults import Fault, to_printable
from epitome.formats.reading import InputFile, UnreadableFile
from epitome.formats.tools.judgments import OutsideJudgment, read_judgments
from epitome.rounds.marks import load_marks
from epitome.rounds.outside_answers import (
    ANSWER,
    CATEGORIES,
    CATEGORY,
    LONG_TEXT,
    OTHER_VALUE,
    OVER_LIMIT,
    SAME_WORDS,
    SEVERITY,
    UNDECIDED,
    WHITE_SPACE,
    OutsideReader,
    OutsideReading,
    Word,
)
from epitome.rounds.outside_texts import ItemOutput, OutputFinder
from evaluation.models import Item, Judgement, Round
from evaluation.services.rating.outside_raters import OutsidePerson

MAX_FAULTS = 100
MAX_DIFFERENCES = 20
NO_RATER, NOT_ASKED, REPLACED = "no-rater", "not-asked", "replaced"
OTHER_TEXT, UNKNOWN_TEXT, SEVERAL_ITEMS = "other-text", "unknown-text", "several-items"
"""Why a whole judgment is left out."""


Key = tuple[str, int]
"""(account, item)"""


class NewAnswers(NamedTuple):
    """What one person said of one item. account: the name of the account that stands for the person."""

    account: str
    item: int
    reading: OutsideReading


class WordChoice(NamedTuple):
    """A word of the file, how often it is used, what it becomes (None: nothing yet) and what it may become."""

    word: Word
    n: int
    target: str | None
    targets: tuple[str, ...]

    @property
    def is_missing(self) -> bool:
        return self.target is None and self.word.kind != ANSWER


@dataclass
class OutsidePreview:
    """What an import would store. people: by account. read: all answers that have a place; of these `new` are not
    stored yet, n_repeated are, and `changed` are stored otherwise. left_out: what has no place, by reason and word.
    differences: outputs that are nearly those of the round, each with the first difference."""

    n_judgments: int = 0
    people: dict[str, OutsidePerson] = field(default_factory=dict)
    read: list[NewAnswers] = field(default_factory=list)
    new: list[NewAnswers] = field(default_factory=list)
    n_repeated: int = 0
    changed: list[NewAnswers] = field(default_factory=list)
    words: list[WordChoice] = field(default_factory=list)
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    marked_key: str = ""

    @property
    def tools(self) -> list[str]:
        return sorted({person.tool for person in self.people.values()})

    @property
    def n_items(self) -> int:
        return len({answers.item for answers in self.new})

    @property
    def new_people(self) -> Counter[str]:
        """Account -> items of which answers come in."""
        return Counter(answers.account for answers in self.new)

    @property
    def n_marks(self) -> int:
        """Marked errors that come in, omissions included."""
        return sum(len(load_marks(answers.reading.answers[self.marked_key])) for answers in self.new)

    @property
    def n_other_answers(self) -> int:
        """Answers to other questions that come in."""
        return sum(len(answers.reading.answers) - 1 for answers in self.new)

    @property
    def n_notes(self) -> int:
        return sum(bool(answers.reading.note) for answers in self.new)

    @property
    def missing(self) -> list[WordChoice]:
        """Severities and categories without a place: nothing is stored until each has one."""
        return [choice for choice in self.words if choice.is_missing]

    def sort_out_stored(self, round_: Round) -> None:
        """Fill `new`, `n_repeated` and `changed` by what the round has now."""
        stored, notes = _load_stored(round_, self.people)
        self.new, self.changed, self.n_repeated = [], [], 0
        for answers in self.read:
            key = (answers.account, answers.item)
            if key not in stored:
                self.new.append(answers)
            elif stored[key] == answers.reading.answers and notes[key] == answers.reading.note:
                self.n_repeated += 1
            else:
                self.changed.append(answers)

    def as_dict(self) -> dict[str, Any]:
        """For JSON; nobody is named."""
        return {
            "tools": self.tools,
            "judgments": self.n_judgments,
            "raters": len(self.new_people),
            "items": self.n_items,
            "ratings": len(self.new),
            "marks": self.n_marks,
            "other_answers": self.n_other_answers,
            "notes": self.n_notes,
            "already_imported": self.n_repeated,
            "changed": len(self.changed),
            "words": [
                {"word": str(choice.word), "n": choice.n, "becomes": choice.target, "may_become": list(choice.targets)}
                for choice in self.words
            ],
            "left_out": [
                {"reason": reason, "word": word, "n": n, "text": describe_left_out(reason, word)}
                for (reason, word), n in sorted(self.left_out.items())
            ],
            "differences": self.differences,
            "faults": [str(fault) for fault in self.faults],
        }


def preview_answers(round_: Round, file: InputFile, mapping: Mapping[Word, str]) -> OutsidePreview:
    """Read a file for a round; nothing is stored. Raises BadInput: an unreadable file, a round that asks for no marked
    errors, a mapping to what the round does not have."""
    try:
        reader = OutsideReader(round_.rules.questions, mapping)
    except ValueError as error:
        message = _("Only a round with one question for marked errors takes answers from other tools.")
        raise BadInput(message, field="round", code="form") from error
    try:
        reader.check_mapping()
    except ValueError as error:
        raise BadInput(str(error), field="map", code="map") from error
    reading = _FileReading(round_, reader)
    for judgment in _read_all(file, reading.preview):
        reading.take(judgment)
    preview = reading.finish()
    preview.sort_out_stored(round_)
    return preview


class _FileReading:
    """Takes the judgments of a file one by one and fills the preview."""

    def __init__(self, round_: Round, reader: OutsideReader) -> None:
        self.reader = reader
        self.preview = OutsidePreview(marked_key=reader.marked.key)
        self.items = _load_items(round_)
        self.finder = OutputFinder(_list_outputs(self.items))
        self.authors = Authors(round_.project.export_salt)
        self.words: Counter[Word] = Counter()
        self.by_key: dict[Key, NewAnswers] = {}
        self.unmatched: dict[str, list[OutsideJudgment]] = {}

    def take(self, judgment: OutsideJudgment) -> None:
        match = self.finder.find(judgment)
        if match is None and not self.finder.has_text(judgment.output):
            self.unmatched.setdefault(judgment.output, []).append(judgment)
            return
        item = self.items[match.output.key] if match is not None else None
        if match is None or item is None or not judgment.rater or self.reader.marked.key not in item.questions:
            reason = SEVERAL_ITEMS if item is None else NOT_ASKED if judgment.rater else NO_RATER
            self.preview.left_out[reason, ""] += 1
            return
        self.words += self.reader.find_words(judgment)
        # A pseudonym that no other project has. The same name in two tools need not be the same person.
        account = f"outside-{self.authors.of(f'{judgment.tool}:{judgment.rater}')}"
        self.preview.people[account] = OutsidePerson(judgment.tool, judgment.rater)
        reading = self.reader.read(judgment, match.output.text, match.shift, item.questions)
        if (account, item.pk) in self.by_key:
            self.preview.left_out[REPLACED, ""] += 1
        self.by_key[account, item.pk] = NewAnswers(account, item.pk, reading)

    def finish(self) -> OutsidePreview:
        preview, reader = self.preview, self.reader
        preview.read = list(self.by_key.values())
        preview.words = [
            WordChoice(word, n, reader.find_target(word), reader.list_targets(word.kind))
            for word, n in sorted(self.words.items())
        ]
        for answers in preview.read:
            preview.left_out.update(answers.reading.left_out)
        for text, judgments in self.unmatched.items():
            self._take_unmatched(text, judgments)
        return preview

    def _take_unmatched(self, text: str, judgments: Sequence[OutsideJudgment]) -> None:
        """Say where an output that is nearly one of the round differs; count it apart from unknown ones."""
        differences = self.preview.differences
        difference = self.finder.find_difference(text) if len(differences) < MAX_DIFFERENCES else None
        self.preview.left_out[OTHER_TEXT if difference is not None else UNKNOWN_TEXT, ""] += len(judgments)
        if difference is not None:
            sentence = _(
                "%(item)s, %(system)s: at character %(n)d, after “%(before)s”, the round has “%(here)s”, the file "
                "“%(there)s”"
            )
            names = {"item": judgments[0].item, "system": judgments[0].system}
            quotes = {"before": difference.before, "here": difference.here, "there": difference.there}
            printable = {name: to_printable(value) for name, value in (names | quotes).items()}
            differences.append(sentence % {**printable, "n": difference.at + 1})


def _read_all(file: InputFile, preview: OutsidePreview) -> Iterator[OutsideJudgment]:
    """The judgments of a file; faults go to the preview. Raises BadInput."""
    try:
        for row in read_judgments(file):
            if isinstance(row, Fault):
                if len(preview.faults) < MAX_FAULTS:
                    preview.faults.append(row)
                continue
            preview.n_judgments += 1
            yield row
    except UnreadableFile as error:
        raise BadInput(str(error.fault), field="file", code="file") from error
    if not preview.n_judgments and not preview.faults:
        raise BadInput(_("The file holds no answers."), field="file", code="empty")


def _load_items(round_: Round) -> dict[int, Item]:
    """The items that people see and whose answers count."""
    rows = Item.objects.filter(round=round_, kind=Item.Kind.REAL, for_people=True)
    rows = rows.select_related("first", "document", "sample")
    needed = ("public_id", "targets", "questions", "first__text", "document__external_id", "sample__position")
    return rows.only(*needed).in_bulk()


def _list_outputs(items: Mapping[int, Item]) -> Iterator[ItemOutput]:
    for pk, item in items.items():
        external_id = item.document.external_id
        ids = (str(item.public_id), external_id, f"{external_id}#{item.sample.position}")
        yield ItemOutput(pk, item.first.text, ids, item.targets[0]["target"])


def _load_stored(round_: Round, people: Collection[str]) -> tuple[dict[Key, dict[str, str]], dict[Key, str]]:
    """Stored answers of imported ratings, and their notes."""
    stored: dict[Key, dict[str, str]] = {}
    notes: dict[Key, str] = {}
    rows = Judgement.objects.filter(round=round_, item_assignment__slot=None, rater__username__in=list(people))
    columns = ("rater__username", "item_id", "question", "answer", "item_assignment__note")
    for account, item, question, answer, note in rows.values_list(*columns).iterator():
        stored.setdefault((account, item), {})[question] = answer
        notes[account, item] = note
    return stored, notes


def describe_left_out(reason: str, word: str) -> str:
    """What is left out, in words to which a number is added."""
    if not word and reason == SEVERITY:
        return _("marks without a severity")
    if not word and reason == CATEGORY:
        return _("marks without a category")
    texts = {
        UNDECIDED: _("marks whose severity or category is not chosen yet"),
        NO_RATER: _("answers that name no rater"),
        NOT_ASKED: _("answers about items that ask for no marked errors"),
        REPLACED: _("earlier answers of a rater about the same output"),
        OTHER_TEXT: _("answers about outputs that differ from those of the round"),
        UNKNOWN_TEXT: _("answers about outputs that the round does not have"),
        SEVERAL_ITEMS: _("answers about outputs that several items have"),
        "omission": _("omissions, which the round does not ask for"),
        SEVERITY: _("marks of the severity “%(word)s”"),
        CATEGORY: _("marks of the category “%(word)s”"),
        SAME_WORDS: _("second marks of the same words"),
        OVER_LIMIT: _("marks beyond the limit of one summary"),
        WHITE_SPACE: _("marks of white space at an end of the output"),
        CATEGORIES: _("categories of marks: the round asks for severities alone"),
        ANSWER: _("answers to “%(word)s”"),
        LONG_TEXT: _("texts of “%(word)s” that are too long"),
        OTHER_VALUE: _("answers to “%(word)s” that the question does not have"),
    }
    return texts[reason] % {"word": to_printable(word)}
