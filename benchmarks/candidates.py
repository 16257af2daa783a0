"""Speed of topic candidates on one core, over real news: python -m benchmarks.candidates [FILE]

FILE is a MACSum JSON file (default: EPITOME_SHARED/data/macsum/macdoc/val.json). Prints words/s of parsing (white-space
words, tokens cut and parts of speech given), documents/s of ranking alone and with parsing, and one JSON line.
Goals on one core: parsing at least 15,000 words/s, ranking at least 40 documents/s.
"""

import os
import sys

ONE_CORE = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "NUMEXPR_NUM_THREADS")
for _name in ONE_CORE:
    os.environ[_name] = "1"  # before numpy is loaded
if __name__ == "__main__" and hasattr(os, "sched_setaffinity"):  # importing leaves the process as it is
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import json  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable  # noqa: E402
from pathlib import Path  # noqa: E402

from epitome.candidates.reading import tag_sources  # noqa: E402
from epitome.candidates.topicrank import TopicRank  # noqa: E402
from epitome.text.pipeline import load_pipeline, pipeline_id  # noqa: E402
from epitome.text.sentences import segments_of, split_sentences  # noqa: E402
from epitome.text.words import n_words  # noqa: E402

GOALS = {"parse_words_per_second": 15_000, "rank_documents_per_second": 40}
REPEATS = 5


def best_seconds(work: Callable[[], object]) -> float:
    """The quickest of some runs, in wall-clock seconds; a first run, not counted, warms the caches."""
    work()
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def main() -> None:
    shared = Path(os.environ.get("EPITOME_SHARED") or Path(__file__).resolve().parents[2] / "shared")
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else shared / "data" / "macsum" / "macdoc" / "val.json"
    if not file.is_file():
        sys.exit(f"{file}: no such file; give a MACSum JSON file or set EPITOME_SHARED")
    sources = [
        [{"speaker": "", "text": text} for text in entry["source"]]
        for entry in json.loads(file.read_text(encoding="utf-8"))
    ]
    texts = [" ".join(segment["text"] for segment in source) for source in sources]
    words = sum(map(n_words, texts))

    started = time.perf_counter()
    nlp = load_pipeline(profile="topics")
    loading = time.perf_counter() - started
    extractor = TopicRank(nlp)
    started = time.perf_counter()
    docs = list(tag_sources(nlp, sources))
    cold_parsing = time.perf_counter() - started
    started = time.perf_counter()
    for doc in docs:
        extractor.rank(doc)
    cold_ranking = time.perf_counter() - started

    figures = {
        "documents": len(sources),
        "words": words,
        "pipeline": pipeline_id(nlp),
        "load_seconds": round(loading, 2),
        "parse_words_per_second": round(words / best_seconds(lambda: list(tag_sources(nlp, sources)))),
        "parse_words_per_second_first_pass": round(words / cold_parsing),
        "rank_documents_per_second": round(len(docs) / best_seconds(lambda: [extractor.rank(doc) for doc in docs]), 1),
        "rank_documents_per_second_first_pass": round(len(docs) / cold_ranking, 1),
        "parse_and_rank_documents_per_second": round(
            len(docs) / best_seconds(lambda: list(extractor.extract_many(sources))), 1
        ),
        "split_sentences_microseconds_per_800_words": round(
            best_seconds(lambda: [split_sentences(text) for text in texts]) / words * 800e6, 1
        ),
        "segments_of_microseconds_per_800_words": round(
            best_seconds(lambda: [segments_of(text) for text in texts]) / words * 800e6, 1
        ),
    }
    for name, value in figures.items():
        goal = f"   (goal {GOALS[name]:,})" if name in GOALS else ""
        print(f"{name.replace('_', ' '):45} {value if isinstance(value, str) else f'{value:,}'}{goal}")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
