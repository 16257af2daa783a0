"""Read CoNLL-U and IOB files into spaCy documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc, Span

SENTENCES_PER_DOC = 12  # long enough for the senter to see boundaries, short enough to batch
NAMED_PER_DOC = 6
LABELS = ("PER", "ORG", "LOC")


class Token(NamedTuple):
    text: str
    lemma: str
    pos: str
    tag: str
    space: bool  # a blank follows
    head: int  # place of the governing word in the sentence; its own place for the root
    relation: str


class Tagged(NamedTuple):
    """One sentence with a tag per word (IOB1 or IOB2)."""

    words: list[str]
    spaces: list[bool]
    tags: list[str]


def read_conllu(path: Path) -> Iterator[list[list[Token]]]:
    """Documents as lists of sentences."""
    document: list[list[Token]] = []
    for comments, rows in _blocks(path):
        if document and any(comment.startswith("# newdoc") for comment in comments):
            yield document
            document = []
        document.append(_sentence(rows))
    if document:
        yield document


def _blocks(path: Path) -> Iterator[tuple[list[str], list[list[str]]]]:
    """(comment lines, rows of columns) of every sentence."""
    comments: list[str] = []
    rows: list[list[str]] = []
    for line in [*path.read_text(encoding="utf-8").splitlines(), ""]:
        if line.startswith("#"):
            comments.append(line)
        elif line.strip():
            rows.append(line.split("\t"))
        elif rows:
            yield comments, rows
            comments, rows = [], []


def _sentence(rows: list[list[str]]) -> list[Token]:
    """Words of one sentence. Inside "3-4 don't" no blank; after it, what the whole says."""
    tokens = []
    last_inside = 0
    space_after_whole = True
    for columns in rows:
        number, space = columns[0], "SpaceAfter=No" not in columns[9]
        if "." in number:  # an empty node of the enhanced graph
            continue
        if "-" in number:
            last_inside, space_after_whole = int(number.split("-")[1]), space
            continue
        if int(number) < last_inside:
            space = False
        elif int(number) == last_inside:
            space = space_after_whole
        index, head = len(tokens), int(columns[6])
        tokens.append(Token(*columns[1:5], space, head - 1 if head else index, columns[7]))
    return tokens


def conllu_docs(path: Path, nlp: Language) -> Iterator[Doc]:
    for document in read_conllu(path):
        for at in range(0, len(document), SENTENCES_PER_DOC):
            sentences = document[at : at + SENTENCES_PER_DOC]
            tokens = [token for sentence in sentences for token in sentence]
            yield Doc(
                nlp.vocab,
                words=[token.text for token in tokens],
                spaces=[token.space for token in tokens],
                tags=[token.tag for token in tokens],
                pos=[token.pos for token in tokens],
                morphs=["" for _ in tokens],
                # "_" is "not annotated" (a word cut in two); the form is in
                lemmas=[token.text if token.lemma == "_" else token.lemma for token in tokens],
                sent_starts=[index == 0 for sentence in sentences for index in range(len(sentence))],
            )


def parsed_docs(path: Path, nlp: Language) -> Iterator[Doc]:
    """One document per sentence: the parser is for single sentences, whose borders are known."""
    for document in read_conllu(path):
        for tokens in document:
            yield Doc(
                nlp.vocab,
                words=[token.text for token in tokens],
                spaces=[token.space for token in tokens],
                tags=[token.tag for token in tokens],
                heads=[token.head for token in tokens],
                deps=["ROOT" if token.relation == "root" else token.relation for token in tokens],
            )


def uner_sentences(path: Path) -> Iterator[Tagged]:
    """UNER files: `# text =` gives the blanks, column 2 the word, column 3 the tag."""
    for comments, rows in _blocks(path):
        text = next((line.split("=", 1)[1].strip() for line in comments if line.startswith("# text =")), None)
        words = [columns[1] for columns in rows]
        yield Tagged(words, _spaces(words, text), [columns[2] for columns in rows])


def plain_sentences(path: Path) -> Iterator[Tagged]:
    """Files of `word TAG` without blanks, which are guessed."""
    words: list[str] = []
    tags: list[str] = []
    for line in [*path.read_text(encoding="utf-8").splitlines(), ""]:
        columns = line.split()
        if line.startswith("-DOCSTART-"):
            continue
        if len(columns) >= 2:
            words.append(columns[0])
            tags.append(columns[-1])
        elif words:
            yield Tagged(words, _guess_spaces(words), tags)
            words, tags = [], []


def _spaces(words: list[str], text: str | None) -> list[bool]:
    if text is None:
        return _guess_spaces(words)
    spaces, at = [], 0
    for word in words:
        hit = text.find(word, at)
        if hit < 0:
            return _guess_spaces(words)
        at = hit + len(word)
        spaces.append(at < len(text) and text[at].isspace())
    return spaces


_NO_SPACE_BEFORE = re.compile(r"^(?:[.,;:!?%)\]}]|n't|'(?:s|re|ve|ll|d|m)?|'')$")
_NO_SPACE_AFTER = re.compile(r"^(?:[(\[{$#]|``)$")


def _guess_spaces(words: list[str]) -> list[bool]:
    following = [*words[1:], None]
    return [
        after is not None and not _NO_SPACE_BEFORE.match(after) and not _NO_SPACE_AFTER.match(word)
        for word, after in zip(words, following, strict=True)
    ]


def entity_spans(tags: list[str]) -> list[tuple[int, int, str]]:
    """(start, end, label) for the labels kept; IOB1 and IOB2."""
    spans = []
    start, open_label = -1, ""
    for index, tag in enumerate([*tags, "O"]):
        prefix, _, label = tag.partition("-")
        if open_label and (prefix in ("O", "B") or label != open_label):
            spans.append((start, index, open_label))
            open_label = ""
        if prefix in ("B", "I") and not open_label:
            start, open_label = index, label
    return [span for span in spans if span[2] in LABELS]


def iob_docs(sentences: Iterable[Tagged], nlp: Language) -> Iterator[Doc]:
    batch: list[Tagged] = []
    for sentence in sentences:
        batch.append(sentence)
        if len(batch) == NAMED_PER_DOC:
            yield _joined(batch, nlp)
            batch = []
    if batch:
        yield _joined(batch, nlp)


def _joined(sentences: list[Tagged], nlp: Language) -> Doc:
    words: list[str] = []
    spaces: list[bool] = []
    spans: list[tuple[int, int, str]] = []
    for sentence in sentences:
        shift = len(words)
        spans += [(shift + start, shift + end, label) for start, end, label in entity_spans(sentence.tags)]
        words += sentence.words
        spaces += [*sentence.spaces[:-1], True]
    doc = Doc(nlp.vocab, words=words, spaces=spaces)
    doc.ents = [Span(doc, start, end, label=label) for start, end, label in spans]
    return doc
