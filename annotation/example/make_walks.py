"""Writes the training example: walks past the doors of a village, with summaries of three lengths.

    python annotation/example/make_walks.py

Everything follows from one rule, so that a very small model can learn it: a walk begins at any door and passes them all
in their order; its summary is its first sentence when a short one is asked for, the first two for a normal and the
first three for a long one. All sentences have five words, so these are 5, 10 and 15 % of the walk, as in MACSum. Only
the request says how long a summary is: every walk has one of each. No walk is in two files.
"""

import json
import random
from pathlib import Path

DOORS = (
    ("baker", "kneads the dough", "sells warm bread"),
    ("smith", "mends an anchor", "sharpens two knives"),
    ("tailor", "sews a coat", "irons grey trousers"),
    ("potter", "shapes a bowl", "paints blue plates"),
    ("weaver", "repairs her loom", "folds long blankets"),
    ("farmer", "feeds the hens", "waters young beans"),
    ("miller", "grinds the wheat", "greases the wheel"),
    ("doctor", "visits the sick", "rolls clean bandages"),
    ("teacher", "reads a poem", "corrects hard sums"),
    ("fisher", "dries the nets", "cleans silver herring"),
    ("cooper", "bends oak staves", "seals six barrels"),
    ("grocer", "weighs dried peas", "stacks red apples"),
    ("tanner", "scrapes the hides", "oils soft leather"),
    ("cobbler", "stitches tall boots", "polishes brown shoes"),
    ("printer", "sets small type", "binds thin books"),
    ("gardener", "prunes old roses", "plants yellow tulips"),
    ("carpenter", "saws pine boards", "carves chair legs"),
    ("beekeeper", "smokes four hives", "strains dark honey"),
    ("ferryman", "tars his boat", "rows across slowly"),
    ("painter", "mixes green paint", "draws the harbour"),
)
"""Who works behind each door, and the two things they may be seen doing."""
N_SENTENCES = {"short": 1, "normal": 2, "long": 3}
N_WALKS = {"train": 120, "dev": 12, "test": 30}
SEED = 12
FOLDER = Path(__file__).resolve().parent


def file_for_split(split: str) -> Path:
    """Path of the file of a split."""
    return FOLDER / f"walks-{split}.json"


def build_walk(rng: random.Random) -> tuple[str, ...]:
    """The sentences of one walk: from a random door past all others, each with one of its two activities."""
    start = rng.randrange(len(DOORS))
    doors = [DOORS[(start + step) % len(DOORS)] for step in range(len(DOORS))]
    return tuple(f"The {who} {rng.choice(deeds)}." for who, *deeds in doors)


def build_entry(split: str, number: int, source: tuple[str, ...]) -> dict[str, object]:
    """A walk with its three summaries, as MACSum's files have them."""
    references = [
        {
            "control_attribute": {"length": length, "extractiveness": "fully", "specificity": "normal", "topic": ""},
            "summary": " ".join(source[:n]),
            "title": "",
            "relevant_turns": [[0, n - 1]],
        }
        for length, n in N_SENTENCES.items()
    ]
    metadata = {"dataset": "walks", "split": split, "file_id": number}
    return {"metadata": metadata, "source": list(source), "references": references}


def main() -> None:
    """Write one file per split, one line per walk; the same bytes every time."""
    rng = random.Random(SEED)
    used_walks: set[tuple[str, ...]] = set()
    for split, count in N_WALKS.items():
        lines: list[str] = []
        while len(lines) < count:
            source = build_walk(rng)
            if source not in used_walks:
                used_walks.add(source)
                lines.append(json.dumps(build_entry(split, len(lines), source)))
        file_for_split(split).write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
