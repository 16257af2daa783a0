"""Worked examples put in front of a request to a chat model: a source, a request, and what was written for it."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from epitome.formats.reading import InputFile
from epitome.formats.sample_files import SampleFileOptions, read_samples
from epitome.schema import Attribute, InvalidValue, Schema
from epitome.schema.tables import Table
from epitome.systems.protocol import Request, SystemFault, WorkedExample

MAX_EXAMPLES = 20


@dataclass(frozen=True)
class ExampleOptions:
    """`[options.examples]`: how many are put in front, of which split they are, and the seed that they are drawn by."""

    n: int
    split: str = "train"
    seed: int = 0


def read_example_options(table: Table) -> ExampleOptions | None:
    """The options of a configuration; None where it has none. Raises SchemaError."""
    if "examples" not in table.data:
        return None
    inner = table.table("examples", ("n", "split", "seed"))
    return ExampleOptions(
        n=inner.whole("n", 2, least=1, most=MAX_EXAMPLES),
        split=inner.text("split", "train", most=20),
        seed=inner.whole("seed", 0, least=0, most=2**31 - 1),
    )


def order_by_seed(ids: Iterable[str], seed: int) -> list[str]:
    """The ids in the order of the seed: whichever others there are, two of them keep theirs."""
    return sorted(ids, key=lambda name: hashlib.sha256(f"{seed}|{name}".encode()).digest())


def draw_examples(
    pool: Sequence[WorkedExample], options: ExampleOptions, answers: Sequence[str] = ()
) -> list[WorkedExample]:
    """One example more than are shown, each of another origin, so that a request never sees its own source.

    answers: of a judge; only examples whose answer is known are drawn, the answers in turn. Raises SystemFault where
    the pool has too few.
    """
    by_id = {example.id: example for example in pool}
    ordered = [by_id[name] for name in order_by_seed(by_id, options.seed)]
    if answers:
        ordered = _alternate(ordered, answers)
    by_origin: dict[str, WorkedExample] = {}
    for example in ordered:
        by_origin.setdefault(example.origin, example)
    drawn = list(by_origin.values())[: options.n + 1]
    if len(drawn) <= options.n:
        what = "an answer that is known" if answers else "a human summary"
        message = f"{options.n} worked examples need {options.n + 1} sources of the split {options.split!r} with {what}"
        raise SystemFault(f"{message}; there are {len(drawn)}")
    return drawn


def _alternate(examples: Sequence[WorkedExample], answers: Sequence[str]) -> list[WorkedExample]:
    """The examples whose answer is known, in their order, one of each answer in turn."""
    by_answer: dict[str, list[WorkedExample]] = {answer: [] for answer in answers}
    for example in examples:
        if (answer := find_answer(example, answers)) is not None:
            by_answer[answer].append(example)
    rounds = zip_longest(*by_answer.values())
    return [example for example in chain.from_iterable(rounds) if example is not None]


def find_judged_attribute(schema: Schema, answers: Sequence[str]) -> Attribute | None:
    """The attribute that a judge's question is about: the one that has all the answers as values, or as their other
    names; None where there is none."""
    for attribute in schema.attributes:
        try:
            values = {attribute.canonical(answer) for answer in answers}
        except InvalidValue:
            continue
        if len(values) == len(answers):
            return attribute
    return None


def find_answer(example: WorkedExample, answers: Sequence[str]) -> str | None:
    """The answer that a judge should give about the text of an example: its own, else the one that means the value
    which was requested; None where that is not known."""
    if example.answer:
        return example.answer if example.answer in answers else None
    attribute = find_judged_attribute(example.schema, answers)
    if attribute is None:
        return None
    value = example.values.get(attribute.key)
    return next((answer for answer in answers if attribute.canonical(answer) == value), None)


def select_for(drawn: Sequence[WorkedExample], options: ExampleOptions, origin: str) -> tuple[WorkedExample, ...]:
    """The examples for a request whose source is of this origin."""
    return tuple(example for example in drawn if example.origin != origin)[: options.n]


def check_examples(batch: Sequence[Request], options: ExampleOptions | None) -> None:
    """Raises SystemFault where a request lacks the examples that its system is configured to show."""
    for request in batch if options is not None else ():
        if options is not None and len(request.examples) != options.n:
            message = f"shows {options.n} worked examples, but has {len(request.examples)} for {request.id[:100]}"
            raise SystemFault(f"{message}: run it in a project, or name a file with --examples")


def read_examples(
    file: InputFile, options: ExampleOptions, how: SampleFileOptions | None = None
) -> list[WorkedExample]:
    """The samples of a file as worked examples: those of the split, and those of none. Raises SystemFault."""
    examples = []
    try:
        for group in read_samples(file, how):
            for sample in group.samples:
                if sample.split in ("", options.split) and sample.reference.summary.strip():
                    source, text = group.record, sample.reference.summary
                    segments = tuple(source.segments)
                    examples.append(
                        WorkedExample(sample.sample_id, source.origin_id, segments, sample.values, group.schema, text)
                    )
    except ValueError as error:
        raise SystemFault(str(error)) from error
    return examples
