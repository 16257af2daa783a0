"""A task on which control can be learnt in seconds: summaries are the first words of the source, as many as asked.

Every source runs through the same circle of words from another start, so only the number of words is not plain from
the source. Without being told the length, nobody can do better than guess one of three.
"""

import json
import random
from pathlib import Path

WORDS = [
    "amber",
    "birch",
    "cedar",
    "delta",
    "ember",
    "frost",
    "grove",
    "harbor",
    "island",
    "jungle",
    "kettle",
    "lagoon",
]
N_WORDS = {"short": 2, "normal": 4, "long": 6}
SOURCE_WORDS = 8


def entries(count: int, seed: int, shape: str = "macdoc") -> list[dict]:
    """MACSum-shaped entries with one summary each; lengths in turn, so that each is asked for equally often."""
    rng = random.Random(seed)
    items = []
    for number in range(count):
        start = rng.randrange(len(WORDS))
        words = [WORDS[(start + step) % len(WORDS)] for step in range(SOURCE_WORDS)]
        length = list(N_WORDS)[number % 3]
        attributes = {"length": length, "extractiveness": "normal", "specificity": "normal", "topic": ""}
        items.append(
            {
                "metadata": {"dataset": "cnndm", "split": "test", "file_id": seed * 100_000 + number},
                "source": [" ".join(words)],
                "references": [
                    {
                        "control_attribute": attributes,
                        "summary": " ".join(words[: N_WORDS[length]]),
                        "title": "",
                        "relevant_turns": [],
                    }
                ],
            }
        )
    return items


def write(path: Path, count: int, seed: int) -> Path:
    path.write_text(json.dumps(entries(count, seed)), encoding="utf-8")
    return path
