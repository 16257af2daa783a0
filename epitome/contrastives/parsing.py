"""Parses golds and sources in batches with the shipped pipeline of tags and dependencies."""

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from epitome.contrastives.words import Token
from epitome.text.pipeline import load_pipeline, pipeline_id

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

PIPELINE: Final = "en_epitome_dep"
_BATCH = 64
_LONG_RUN = re.compile(r"\S{200,}")
"""Given to the parser as spaces: the tokenizer's time grows with the square of such a run."""


class Parser:
    """Tokens with Penn tags and relations. `id` names the weights."""

    def __init__(self, nlp: "Language") -> None:
        self._nlp, self.id = nlp, pipeline_id(nlp)
        self._known = _read_known_words(nlp)

    def parse(self, texts: Sequence[str]) -> Iterator[list[Token]]:
        """The tokens of each text, in the order of the texts; equal texts are parsed once."""
        distinct = list(dict.fromkeys(texts))
        plain = [_LONG_RUN.sub(lambda run: " " * len(run[0]), text) for text in distinct]
        parsed = dict(zip(distinct, map(_read_tokens, self._nlp.pipe(plain, batch_size=_BATCH)), strict=True))
        return (parsed[text] for text in texts)

    def knows(self, word: str) -> bool:
        """Whether a lower-case word occurs in the texts that the pipeline was trained on."""
        return word in self._known


@cache
def load_parser() -> Parser:
    """The shipped parser. Raises epitome.text.pipeline.PipelineNotFound."""
    return Parser(load_pipeline(PIPELINE))


def _read_known_words(nlp: "Language") -> frozenset[str]:
    """Words of the training texts, from the pipeline's file: what it holds in memory grows with every text."""
    folder = getattr(nlp, "_path", None)
    path = Path(folder) / "vocab" / "strings.json" if folder else None
    return frozenset(json.loads(path.read_bytes())) if path is not None and path.is_file() else frozenset()


def _read_tokens(doc: "Doc") -> list[Token]:
    tokens = []
    for token in doc:
        tag = token.tag_
        tokens.append(
            Token(
                text=token.text,
                start=token.idx,
                end=token.idx + len(token),
                tag=tag,
                relation=token.dep_ if tag == "IN" else "",
                head_relation=token.head.dep_ if tag == "IN" else "",
                begins_sentence=bool(token.is_sent_start),
                determiner=token.dep_ == "det" and token.head.i == token.i + 1,
            )
        )
    return tokens
