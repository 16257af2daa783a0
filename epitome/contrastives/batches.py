"""Batches of tuples, made in this process, or as lines of JSON by `python -m epitome.contrastives.batches`.

The other process reads a request per line and answers each with a line, until its input ends.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import orjson

from epitome.contrastives.edits import Edit
from epitome.contrastives.inflection import Inflector
from epitome.contrastives.making import Example, MadeTuple, MakerOptions, make_examples
from epitome.contrastives.parsing import Parser, load_parser
from epitome.contrastives.words import GOLD_WORDS, SOURCE_WORDS, cut_segments, cut_words


@dataclass(frozen=True, slots=True)
class TupleText:
    """One (source, gold) tuple. source: number of its source in the batch."""

    key: str
    gold: str
    source: int


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """Tuples with the segments of their sources, and the options; see MakerOptions."""

    tuples: Sequence[TupleText]
    sources: Sequence[Sequence[str]]
    seed: int
    rules: Sequence[str]
    quotas: Mapping[str, int]
    inflect: bool

    def as_line(self) -> bytes:
        return orjson.dumps(asdict(self)) + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> "BatchRequest":
        fields = orjson.loads(line)
        tuples = [TupleText(**row) for row in fields["tuples"]]
        return cls(**{**fields, "tuples": tuples, "rules": tuple(fields["rules"])})


def make_batch(request: BatchRequest, parser: Parser) -> list[MadeTuple]:
    """The examples of every tuple, in their order. Golds are read up to GOLD_WORDS, sources up to SOURCE_WORDS."""
    options = MakerOptions(
        seed=request.seed,
        rules=tuple(request.rules),
        quotas=request.quotas,
        inflect=Inflector(parser.knows) if request.inflect else None,
    )
    golds = [cut_words(row.gold, GOLD_WORDS) for row in request.tuples]
    sources = [cut_segments(segments, SOURCE_WORDS) for segments in request.sources]
    texts = [*golds, *(text for segments in sources for text in segments)]
    tokens = dict(zip(texts, parser.parse(texts), strict=True))
    return [
        make_examples(
            key=row.key,
            gold=row.gold,
            gold_tokens=tokens[gold],
            source_tokens=[tokens[text] for text in sources[row.source]],
            options=options,
        )
        for row, gold in zip(request.tuples, golds, strict=True)
    ]


def encode_answer(made_tuples: Sequence[MadeTuple]) -> bytes:
    rows = [[[example.as_dict() for example in made_tuple.examples], made_tuple.counts] for made_tuple in made_tuples]
    return orjson.dumps(rows) + b"\n"


def decode_answer(line: bytes) -> list[MadeTuple]:
    return [MadeTuple([_read_example(row) for row in examples], counts) for examples, counts in orjson.loads(line)]


def _read_example(row: Mapping[str, Any]) -> Example:
    return Example(row["rule"], row["text"], tuple(Edit(**edit) for edit in row["edits"]), row["from_source"])


def serve_requests() -> None:
    """Answer every line of the standard input."""
    parser = load_parser()
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(encode_answer(make_batch(BatchRequest.from_line(line), parser)))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    serve_requests()
