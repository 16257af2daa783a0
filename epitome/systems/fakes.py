"""Deterministic systems for tests: an output depends on its request alone, and faults occur on demand.

A fault is triggered by a mark in the source's text, so that it follows the request into any batch.
"""

import hashlib
import json
import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from epitome.schema.tables import Table
from epitome.systems.config import SystemConfig
from epitome.systems.protocol import (
    ErrorKinds,
    Follows,
    OutOfMemory,
    Output,
    Request,
    Role,
    SystemFault,
    TokenScores,
    followed_values,
)
from epitome.systems.provenance import library_versions

COUNTS = ("right", "fewer", "more")
RAISE, CRASH, EXHAUST, ENDLESS, UNCLEAN = "[raise]", "[crash]", "[exhaust]", "[endless]", "[unclean]"
"""Marks in a source: raise an error, end the process by a signal, run out of memory, never end, odd characters."""


@dataclass(frozen=True)
class Settings:
    """counts: whether the number of outputs matches the number of requests. batch_size: requests per call. fits:
    maximum requests in memory at once, 0 for any number. gate: a file to wait for before anything is generated. log:
    a file that gets a line with the ids of each call. seconds: duration of every call."""

    counts: str = "right"
    batch_size: int = 8
    fits: int = 0
    gate: str = ""
    log: str = ""
    seconds: float = 0.0


def parse_options(table: Table) -> Settings:
    table.only(("counts", "batch_size", "fits", "gate", "log", "seconds"))
    return Settings(
        counts=table.choice("counts", COUNTS, "right"),
        batch_size=table.whole("batch_size", 8, least=1, most=1000),
        fits=table.whole("fits", 0, least=0, most=1000),
        gate=table.text("gate", ""),
        log=table.text("log", ""),
        seconds=table.number("seconds", 0.0, most=60.0),
    )


def echo_of(request: Request) -> str:
    """The fake's output: a hash of the whole request, so that swapped outputs are detected."""
    content = repr(
        (request.id, [dict(segment) for segment in request.segments], sorted(request.values.items()), request.seed)
    )
    return f"echo {hashlib.sha256(content.encode(errors='replace')).hexdigest()[:24]}"


class Fake:
    role: ClassVar[Role] = "generate"

    def __init__(self, config: SystemConfig) -> None:
        self.key, self.kind = config.key, config.kind
        self.settings: Settings = config.settings
        self.batch_size = self.settings.batch_size
        self.follows: Follows = followed_attributes(self.settings)

    def generate(self, batch: Sequence[Request]) -> list[Output]:
        self._log(batch)
        self._wait()
        if self.settings.fits and len(batch) > self.settings.fits:
            raise OutOfMemory(f"{len(batch)} requests do not fit")
        outputs = [self._one(request) for request in batch]
        if self.settings.counts == "fewer":
            return outputs[1:]
        return outputs + outputs[:1] if self.settings.counts == "more" else outputs

    def _one(self, request: Request) -> Output:
        text = " ".join(segment["text"] for segment in request.segments)
        if RAISE in text:
            raise SystemFault("this source cannot be summarized")
        if EXHAUST in text:
            raise OutOfMemory("this source does not fit")
        if CRASH in text:
            os.kill(os.getpid(), signal.SIGSEGV)
        while ENDLESS in text:
            time.sleep(0.05)
        reply = "a\x00b\ud83dc" if UNCLEAN in text else echo_of(request)
        return Output(
            reply, told=followed_values(self.follows, request), seed=request.seed, versions=library_versions()
        )

    def _log(self, batch: Sequence[Request]) -> None:
        if self.settings.log:
            with Path(self.settings.log).open("a", encoding="utf-8") as out:
                out.write(" ".join(request.id for request in batch) + "\n")

    def _wait(self) -> None:
        while self.settings.gate and not Path(self.settings.gate).exists():
            time.sleep(0.01)
        if self.settings.seconds:
            time.sleep(self.settings.seconds)


class FakeScorer(Fake):
    """One token per word; each costs its place among the digits of the text's hash, so that a moved score is found."""

    role: ClassVar[Role] = "score"

    def score(self, batch: Sequence[Request]) -> list[TokenScores]:
        self.generate(batch)  # the same faults on demand
        return [score_of(request) for request in batch]


class FakeRanker(Fake):
    """The candidates in the order of their hashes."""

    role: ClassVar[Role] = "rank"

    def rank(self, batch: Sequence[Request]) -> list[Output]:
        return [self._ranked(request, output) for request, output in zip(batch, self.generate(batch), strict=True)]

    def _ranked(self, request: Request, output: Output) -> Output:
        scored = [(text, score_of(replace(request, text=text)).total) for text in request.candidates]
        ranked = tuple(sorted(scored, key=lambda pair: -pair[1]))
        return replace(output, text=ranked[0][0], candidates=ranked)


class FakeRewriter(Fake):
    """The text in capitals, after its request's hash."""

    role: ClassVar[Role] = "transform"

    def transform(self, batch: Sequence[Request]) -> list[Output]:
        outputs = zip(batch, self.generate(batch), strict=True)
        return [replace(output, text=f"{output.text} {(request.text or '').upper()}") for request, output in outputs]


class FakeJudge(Fake):
    """The answer at the place that the text's hash gives; a text with "?" gets an answer that is none."""

    role: ClassVar[Role] = "judge"

    def judge(self, batch: Sequence[Request], question: str, answers: Sequence[str]) -> list[Output]:
        outputs = zip(batch, self.generate(batch), strict=True)
        return [replace(output, **answer_of(request, question, answers)) for request, output in outputs]

    def mark(self, batch: Sequence[Request], question: str, kinds: ErrorKinds) -> list[Output]:
        """The first word is an error; a text with "?" gets an answer that is none."""
        outputs = zip(batch, self.generate(batch), strict=True)
        return [replace(output, text=_mark_first_word(request.text or "", kinds)) for request, output in outputs]


def _mark_first_word(text: str, kinds: ErrorKinds) -> str:
    category = {"category": kinds.categories[0]} if kinds.categories else {}
    marks = [{"quote": word, **category, "severity": kinds.severities[0]} for word in text.split()[:1]]
    return "I cannot say" if "?" in text else json.dumps(marks)


def score_of(request: Request) -> TokenScores:
    """The fake scorer's result. Raises SystemFault without a text."""
    words = tuple((request.text or "").split())
    if not words:
        raise SystemFault(f"request {request.id}: there is no text to score")
    digest = hashlib.sha256(f"{request.id} {request.text}".encode(errors="replace")).digest()
    return TokenScores(words, tuple(-0.01 * (1 + digest[index % 32]) for index in range(len(words))))


def answer_of(request: Request, question: str, answers: Sequence[str]) -> dict[str, Any]:
    """Text and decoding of the fake judge's output."""
    text = request.text or ""
    digest = hashlib.sha256(f"{question} {text}".encode(errors="replace")).digest()
    answer = "I cannot say" if "?" in text else answers[digest[0] % len(answers)]
    return {"text": answer, "decoding": {"valid": answer in answers}}


def followed_attributes(settings: Settings) -> Follows:
    return {"length": None, "topic": None}


def make_system(config: SystemConfig) -> Fake:
    return Fake(config)


def make_scorer(config: SystemConfig) -> FakeScorer:
    return FakeScorer(config)


def make_ranker(config: SystemConfig) -> FakeRanker:
    return FakeRanker(config)


def make_rewriter(config: SystemConfig) -> FakeRewriter:
    return FakeRewriter(config)


def make_judge(config: SystemConfig) -> FakeJudge:
    return FakeJudge(config)
