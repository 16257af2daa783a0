"""What each kind of edit of controlled-extract does alone: python -m benchmarks.extract_edits [--every N]

Takes the plain style's summaries of MACSum's news dev file (EPITOME_SHARED/data/macsum/macdoc/val.json) and applies all
edits of one kind, and of no other, wherever the gate lets them pass. Which sentences are chosen stays the same, so the
differences are the edit's own. Prints for each kind the sentences changed, and the change of f_Ext and of ROUGE F; the
last column is the ROUGE-L lost for .1 of f_Ext. Kinds are those of `Edit.kind`; "all" applies all of them at once, as
they stand in a form with every edit. --every N takes each N-th source.
"""

import argparse
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import cast

from annotation.measures import SourceIndex
from annotation.measures.overlap import extractiveness
from annotation.text.sentences import Segment, split_sentences
from benchmarks.extract import Data, read, styled_config, write
from benchmarks.measures import FILES, SHARED
from evaluation.metrics.rouge import rouge_f
from modelbridge.systems.controlled_extract.edits import Edit, apply_edits
from modelbridge.systems.controlled_extract.gate import find_fault
from modelbridge.systems.controlled_extract.letter_case import Casing
from modelbridge.systems.controlled_extract.noun_phrases import find_surnames
from modelbridge.systems.controlled_extract.parsing import Parse, Parser, load_parser
from modelbridge.systems.controlled_extract.rephrasing import (
    Form,
    find_local_edits,
    find_wide_edits,
    tidy_form,
)
from modelbridge.systems.controlled_extract.system import ControlledExtract
from modelbridge.systems.controlled_extract.traced import Traced
from modelbridge.systems.protocol import Generator


@dataclass(frozen=True)
class Sentences:
    """The sentences of one summary with their parses and what can be done to each."""

    parses: Sequence[Parse]
    edits: Sequence[Sequence[Edit]]


def read_summary(text: str, parser: Parser, casing: Casing, surnames: frozenset[str]) -> Sentences:
    sentences = [text[start:end].strip() for start, end in split_sentences(text)]
    parses = parser.parse_all(sentences, casing)
    edits = [[*find_wide_edits(parse), *find_local_edits(parse, surnames)] for parse in parses]
    return Sentences(parses, edits)


def apply_kind(sentences: Sentences, kind: str, parser: Parser) -> tuple[str, int]:
    """The summary after all edits of a kind that the gate lets pass, and how many sentences changed."""
    texts, changed = [], 0
    for parse, edits in zip(sentences.parses, sentences.edits, strict=True):
        chosen = [edit for edit in edits if kind in (edit.kind, "all")]
        traced, applied = apply_edits(Traced.of(parse.text), sorted(chosen, key=lambda edit: not edit.wide))
        text = parse.text
        if applied:
            root = parse.root
            wide = next((edit.root for edit in applied if edit.wide), (root.start, root.end) if root else None)
            form = Form(tidy_form(parse, traced), 0.0, wide, (), tuple(applied))
            written = form.traced.text
            if not find_fault(form, parser.parse_all([f"{written}."])[0], parse):
                text, changed = written if written[-1] in '.!?"”' else f"{written}.", changed + 1
        texts.append(text)
    return " ".join(texts), changed


def measure_kinds(data: Data) -> None:
    parser = load_parser()
    if parser is None:
        raise SystemExit("the parser cannot be loaded")
    system = cast(Generator, ControlledExtract(styled_config("plain")))
    texts = write("plain", system, data.requests).texts
    sources = [SourceIndex(cast(list[Segment], request.segments), domain=data.domain) for request in data.requests]
    read_texts = []
    for text, request in zip(texts, data.requests, strict=True):
        segments = [segment["text"] for segment in request.segments]
        read_texts.append(read_summary(text, parser, Casing.of(segments), find_surnames(segments)))
    kinds = sorted({edit.kind for sentences in read_texts for edits in sentences.edits for edit in edits})
    references = [sample.summary for sample in data.file.samples]
    rows = {"": score_texts(texts, references, sources)}
    counts: dict[str, int] = defaultdict(int)
    for kind in [*kinds, "all"]:
        results = [apply_kind(sentences, kind, parser) for sentences in read_texts]
        counts[kind] = sum(changed for _, changed in results)
        rows[kind] = score_texts([text for text, _ in results], references, sources)
    print_rows(rows, counts)


def score_texts(texts: Sequence[str], references: Sequence[str], sources: Sequence[SourceIndex]) -> list[float]:
    """Mean f_Ext and mean ROUGE-1, -2 and -L F."""
    copied = fmean(float(extractiveness(text, source)) for text, source in zip(texts, sources, strict=True))
    scores = rouge_f(references, texts, kinds=("rouge1", "rouge2", "rougeL"))
    return [copied, *(fmean(scores[kind]) for kind in ("rouge1", "rouge2", "rougeL"))]


def print_rows(rows: dict[str, list[float]], counts: dict[str, int]) -> None:
    plain = rows.pop("")
    print(f"{'plain':14}{'':>10}" + "".join(f"{value:>9.4f}" for value in plain))
    print(f"{'kind':14}{'sentences':>10}{'f_Ext':>9}{'R1':>9}{'R2':>9}{'RL':>9}{'RL/.1 Ext':>11}")
    for kind, row in sorted(rows.items(), key=lambda pair: pair[1][0]):
        change = [value - start for value, start in zip(row, plain, strict=True)]
        ratio = f"{0.1 * change[3] / -change[0]:11.4f}" if change[0] < -0.0002 else f"{'-':>11}"
        print(f"{kind:14}{counts[kind]:>10}" + "".join(f"{value:>+9.4f}" for value in change) + ratio, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="What each kind of edit does alone")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take each N-th source")
    path, domain = next(pair for pair in FILES.values() if pair[1] == "document")
    measure_kinds(read(SHARED / path, domain, parser.parse_args().every))


if __name__ == "__main__":
    main()
