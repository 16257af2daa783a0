"""Rounds planned over candidates that stand in no database."""

import random

from epitome.rounds.config_parsing import parse_round
from epitome.rounds.designing import plan_round
from epitome.rounds.selecting import Candidate
from epitome.schema import load_preset

NEWS = load_preset("macsum-doc")
HEAD = '[round]\nname = "A"\ntemplate = "{template}"\nseed = {seed}\n{head}\n'
TARGETS = '[[target]]\nkind = "gold"\n[[target]]\nsystem = "hp"\n[[target]]\nsystem = "sp"\n'


class Facts:
    """Texts of which nothing is known: no word is mentioned, nothing is copied."""

    def copied(self, target, sample):
        return 0.0

    def mentions(self, target, sample, words, *, source=None):
        return False


def build_candidates(sources: int = 60, per: int = 2) -> list[Candidate]:
    chance = random.Random(5)
    return [
        Candidate(
            f"s{i:03}#{k}",
            f"s{i:03}",
            "document",
            {
                "length": "short",
                "extractiveness": chance.choices(["normal", "high", "full"], [85, 10, 5])[0],
                "specificity": chance.choice(["normal", "high"]),
                "topic": chance.choice([[], [f"topic {i}"]]),
            },
        )
        for i in range(sources)
        for k in range(per)
    ]


def plan_design(
    more: str = "", *, seed: int = 3, template: str = "macsum-yes-no", targets: str = TARGETS, head="", rows=None
):
    config = parse_round(HEAD.format(template=template, seed=seed, head=head) + more + "\n" + targets, NEWS)
    rows = build_candidates() if rows is None else rows
    return config, plan_round(config, {target.key: rows for target in config.targets}, Facts())
