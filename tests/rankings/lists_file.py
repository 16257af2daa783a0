"""Ranking lists as a file, without a database."""

import json
import random

from epitome.metrics.ranking import Instance, ranking_lists
from tests.rankings.factories import THEMES

WORDS = ("senate", "fado", "abstract", "cathedral", "harbour", "river", "bank", "airline", "newspaper")
"""One per theme: all its golds and backgrounds hold it."""


def write_lists(path, n=36, seed=4):
    """n lists, two thirds of them train, the others dev; golds share words with the backgrounds."""
    instances = []
    for number in range(n):
        entity_type, names, shared, _answers = THEMES[number % len(THEMES)]
        word = WORDS[number % len(THEMES)]
        golds = tuple(f"{word} {ending}" for ending in ("circle", "group", "names"))
        instances.append((Instance(f"article-{number}", entity_type, golds), names, f"{shared}, {word}"))
    drawn = {row.key: row for row in ranking_lists([instance for instance, *_rest in instances], seed)}
    lines = []
    for number, (instance, names, shared) in enumerate(instances):
        row = drawn[instance.key]
        lines.append(
            {
                "format": "epitome-ranking-1",
                "sample_id": f"{instance.key}#0",
                "origin_id": instance.key,
                "split": "dev" if number % 3 == 0 else "train",
                "entity_type": instance.entity_type,
                "entities": [{"name": name, "background": f"{name} is a {shared}."} for name in names[:2]],
                "title": f"Week {number}",
                "context": f"{names[0]} met {names[1]}.",
                "candidates": list(row.candidates),
                "golds": list(row.gold),
            }
        )
    random.Random(seed).shuffle(lines)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path
