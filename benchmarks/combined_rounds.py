"""Whole rounds through the services, simulated people and judge: python -m benchmarks.combined_rounds [--replays 500]

The summaries, people and judge of `benchmarks.combined_macsum`, in a project of their own: every source that has a
topic, with its first two samples that ask for it, --copies times. A replay launches two rounds over samples that its
seed draws, and nothing of it stays in the database:
  fixed   people rate a part of the samples, drawn at random, item by item through claims and answers; the judge answers
          all; the round is unblinded and the report's rows are estimated
  stop    of the first two systems alone: people rate source by source; after every block of sources the round is
          looked at, and closed by its rule as soon as the two are decided
--out FILE: each replay is added to it as a JSON line, so that several processes with other --first may share the work
and it may be stopped at any time; --summarise FILE prints the table of what it holds. A SQLite file of its own.
"""

import argparse
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.combined import show_row
from benchmarks.combined_macsum import (
    JUDGE_ACCURACY,
    JUDGE_BIAS,
    PEOPLE_ERROR,
    SYSTEMS,
    Summaries,
    find_documents,
    measure_summaries,
    write_summaries,
)
from benchmarks.databases import migrate, on_each
from epitome.combined.group_estimates import GroupEstimate, estimate_differences, estimate_groups
from epitome.combined.stopping import follow_comparisons

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from annotation.models import Project
    from epitome.combined.rows import CombinedRow
    from evaluation.models import Round
    from modelbridge.models import SystemRevision

PER_SOURCE = 2
STOP_SYSTEMS = SYSTEMS[:2]
SIGNIFICANT = 0.05
HEAD = """
[round]
name = "{name}"
template = "macsum-yes-no"
seed = {seed}
raters_per_item = 1
apart = {apart}

[selection]
n = {n}
{selection}

[questions]
attributes = ["topic"]
"""
TARGET = '\n[[target]]\nkind = "run"\nsystem = "{key}"\n'
JUDGED = '\n[judge]\nsystems = ["judge"]\ncombine = "ppi"\n'
STOPS = '\n[stopping]\nrule = "decided"\n'


@dataclass
class World:
    """has_topic: (sample, system) -> as measured. truth: system -> the mean that people would give all samples."""

    project: "Project"
    rater: "User"
    judge: "SystemRevision"
    has_topic: dict[tuple[int, str], bool]
    truth: dict[str, float]

    def expect(self, first: str, second: str = "") -> float:
        return self.truth[first] - (self.truth[second] if second else 0.0)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--replays", type=int, default=500)
    parser.add_argument("--first", type=int, default=1, help="seed of the first replay")
    parser.add_argument("--samples", type=int, default=160, help="of a round")
    parser.add_argument("--people", type=int, default=50, help="samples that people rate in the fixed round")
    parser.add_argument("--copies", type=int, default=6)
    parser.add_argument("--apart", type=int, default=10, help="sources of a block")
    parser.add_argument("--out", default="")
    parser.add_argument("--summaries", default="", help="a file that keeps the systems' summaries for other processes")
    parser.add_argument("--summarise", default="", metavar="FILE")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--engine", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.summarise:
        lines = Path(args.summarise).read_text(encoding="utf-8").splitlines()
        summarise_replays([json.loads(line) for line in lines])
    elif args.one:
        replay_rounds(args)
    else:
        on_each("benchmarks.combined_rounds", "sqlite", sys.argv[1:])


def replay_rounds(args: argparse.Namespace) -> None:
    """In a process with a database of its own."""
    import django

    django.setup()
    migrate()
    world = make_world(load_summaries(args.summaries), args.copies)
    replays = []
    for seed in range(args.first, args.first + args.replays):
        start = time.perf_counter()
        result = replay(world, args, seed)
        result |= {"seed": seed, "seconds": round(time.perf_counter() - start, 2)}
        replays.append(result)
        if args.out:
            with Path(args.out).open("a", encoding="utf-8") as file:
                file.write(json.dumps(result) + "\n")
    summarise_replays(replays)


def load_summaries(file: str) -> Summaries:
    """As written before to this file, if there is one."""
    if file and Path(file).is_file():
        return Summaries(**json.loads(Path(file).read_text(encoding="utf-8")))
    summaries = write_summaries(find_documents(), SYSTEMS)
    if file:
        Path(file).write_text(json.dumps(summaries._asdict()), encoding="utf-8")
    return summaries


def make_world(summaries: Summaries, copies: int) -> World:
    """A project with the sources, their two samples each, and a finished run of every system."""
    from annotation.models import Group, Role, Sample, SourceText
    from modelbridge.models import SystemOutput
    from tests.rounds.factories import make_run
    from tests.rounds.judged import make_judge
    from tests.tasks.factories import make_people, make_project

    material = measure_summaries(summaries)
    numbers = [rows[:PER_SOURCE].tolist() for rows in material.places if len(rows) >= PER_SOURCE] * copies
    project = make_project("macsum", documents=len(numbers), groups=1, size=PER_SOURCE, frozen=True, topics=1)
    samples = list(Sample.objects.filter(project=project).order_by("document__position", "position"))
    flat = [number for rows in numbers for number in rows]
    number_of = {sample.pk: number for sample, number in zip(samples, flat, strict=True)}
    first_of = {sample.group_id: number_of[sample.pk] for sample in reversed(samples)}
    groups = list(Group.objects.filter(project=project))
    for group in groups:
        group.chosen = {"topic": [summaries.topics[first_of[group.pk]]]}
    Group.objects.bulk_update(groups, ["chosen"], batch_size=200)
    texts = list(SourceText.objects.filter(document__project=project).order_by("document__position"))
    for text, rows in zip(texts, numbers, strict=True):
        lines = summaries.documents[summaries.sources[rows[0]]]
        text.segments_json = json.dumps([{"speaker": "", "text": line} for line in lines])
    SourceText.objects.bulk_update(texts, ["segments_json"], batch_size=50)
    has_topic = {}
    for column, system in enumerate(SYSTEMS):
        outputs = list(SystemOutput.objects.filter(run=make_run(project, system)))
        for output in outputs:
            number = number_of[output.sample_id]
            output.text = summaries.texts[system][number]
            has_topic[output.sample_id, system] = bool(material.has_topic[number, column])
        SystemOutput.objects.bulk_update(outputs, ["text"], batch_size=200)
    truth = {
        system: float(np.mean([expect_yes(has_topic[sample.pk, system]) for sample in samples])) for system in SYSTEMS
    }
    return World(project, make_people(1, project, Role.RATER)[0], make_judge(project), has_topic, truth)


def expect_yes(has_topic: bool) -> float:
    return 1 - PEOPLE_ERROR if has_topic else PEOPLE_ERROR


def replay(world: World, args: argparse.Namespace, seed: int) -> dict[str, Any]:
    """Both rounds of one seed; all of it is rolled back."""
    from django.db import transaction

    fields = {}
    for arm, replay_arm in (("fixed", replay_fixed), ("stop", replay_stopped)):
        with transaction.atomic():
            fields[arm] = replay_arm(world, args, seed)
            transaction.set_rollback(True)
    return fields


def launch(
    world: World, args: argparse.Namespace, seed: int, systems: tuple[str, ...], selection: str, tables: str
) -> "Round":
    from tests.rounds.factories import launch_new_round

    text = HEAD.format(name=f"Replay {seed}", seed=seed, apart=args.apart, n=args.samples, selection=selection)
    return launch_new_round(world.project, text=text + "".join(TARGET.format(key=key) for key in systems) + tables)


def rate_items(world: World, round_: "Round", rng: np.random.Generator, most: int) -> int:
    """The rater claims and answers until nothing is left, or so many items; returns how many."""
    from evaluation.services.rating import answers as rating_answers
    from tests.rounds.factories import answers_for, claim

    for number in range(most):
        view = claim(round_, world.rater)
        if view is None:
            return number
        has_topic = world.has_topic[view.item.sample_id, view.item.targets[0]["target"]]
        says_yes = has_topic != (rng.uniform() < PEOPLE_ERROR)
        payload = answers_for(view, "yes" if says_yes else "no")
        rating_answers.save_answers(assignment=view, payload=payload, finish=True)
    return most


def let_judge(world: World, round_: "Round", rng: np.random.Generator) -> None:
    """Every item's answer is drawn in the order of the round, so that a seed gives the same answers."""
    from evaluation.models import Item
    from tests.rounds.judged import answer_all

    says_yes = {}
    for item in Item.objects.filter(round=round_).order_by("number"):
        has_topic = world.has_topic[item.sample_id, item.targets[0]["target"]]
        agrees, is_biased = rng.uniform() < JUDGE_ACCURACY, rng.uniform() < JUDGE_BIAS
        says_yes[str(item.public_id)] = has_topic if agrees else (not has_topic)
        says_yes[str(item.public_id)] |= is_biased
    answer_all(round_, world.judge, lambda request: 0 if says_yes[request.id] else 1)


def unblind(round_: "Round") -> "tuple[Round, list[CombinedRow]]":
    """The rows that the report is made of."""
    from evaluation.services.monitoring import round_control
    from evaluation.services.reports.combined_material import load_material

    round_ = round_control.apply_action(round_=round_, action="unblind", by=None)
    material = load_material(round_)
    assert material is not None
    return round_, list(material.rows)


def replay_fixed(world: World, args: argparse.Namespace, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng([seed, 1])
    selection = f'for_people = "random"\nn_for_people = {args.people}'
    result = launch(world, args, seed, SYSTEMS, selection, JUDGED)
    n_items = rate_items(world, result, rng, 10**6)
    let_judge(world, result, rng)
    result, rows = unblind(result)
    differences = estimate_differences(rows)
    fields: dict[str, Any] = {"items": n_items}
    for way in ("people", "combined"):
        holds, widths = [], []
        for estimate in (*estimate_groups(rows), *differences):
            number = getattr(estimate, way)
            holds.append(number.low <= world.expect(estimate.first, estimate.second) <= number.high)
            widths.append(number.width)
        decided = all(is_right(world, estimate, way) for estimate in differences)
        fields[way] = {"holds": holds, "width": float(np.mean(widths[len(SYSTEMS) :])), "decided": decided}
    return fields


def is_right(world: World, estimate: GroupEstimate, way: str) -> bool:
    """Whether a difference is significant after Holm's correction, in the right direction."""
    p = estimate.p_people if way == "people" else estimate.p_combined
    value = getattr(estimate, way).value
    return p is not None and p < SIGNIFICANT and value * world.expect(estimate.first, estimate.second) > 0


def replay_stopped(world: World, args: argparse.Namespace, seed: int) -> dict[str, Any]:
    from evaluation.services.reports import interim

    rng = np.random.default_rng([seed, 2])
    result = launch(world, args, seed, STOP_SYSTEMS, "", STOPS)
    n_items, is_met = 0, False
    block = args.apart * len(STOP_SYSTEMS)
    while not is_met and (items := rate_items(world, result, rng, block)):
        n_items += items
        is_met = interim.analyse_interim(result).met_at is not None
    if is_met:
        result = interim.close_by_rule(round_=result, by=None)
    result, rows = unblind(result)
    followed = follow_comparisons(rows)
    holds, right = [], []
    for sequence in followed:
        expected = world.expect(sequence.comparison.first, sequence.comparison.second)
        holds.append(all(look.low <= expected <= look.high for look in sequence.looks))
        last = sequence.looks[-1]
        right.append(not last.rejects or last.mean * expected > 0)
    return {"items": n_items, "met": is_met, "holds": holds, "right": right}


def summarise_replays(replays: list[dict[str, Any]]) -> None:
    """One row per arm."""
    fixed, stopped = (
        [other_replay["fixed"] for other_replay in replays],
        [other_replay["stop"] for other_replay in replays],
    )
    seconds = sum(other_replay["seconds"] for other_replay in replays)
    row: dict[str, Any] = {"row": "fixed", "replays": len(replays), "items": mean_of([item["items"] for item in fixed])}
    for way in ("people", "combined"):
        row[f"coverage_{way}"] = mean_of([hold for item in fixed for hold in item[way]["holds"]])
        row[f"width_{way}"] = mean_of([item[way]["width"] for item in fixed])
        row[f"decided_{way}"] = mean_of([item[way]["decided"] for item in fixed])
    show_row(row)
    items = [item["items"] for item in stopped]
    show_row(
        {
            "row": "stop",
            "replays": len(replays),
            "stopped_by_rule": mean_of([item["met"] for item in stopped]),
            "items_mean": mean_of(items),
            "items_median": float(np.median(items)),
            "always_held": mean_of([all(item["holds"]) for item in stopped]),
            "no_wrong_order": mean_of([all(item["right"]) for item in stopped]),
        }
    )
    show_row({"row": "time", "replays_per_minute": round(60 * len(replays) / seconds, 1)})


def mean_of(values: "list[Any]") -> float:
    return round(float(np.mean(values)), 4)


if __name__ == "__main__":
    main()
