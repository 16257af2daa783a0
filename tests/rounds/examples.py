"""Contrastive examples of the human summaries of a project, a scorer's run over them, and rounds that check them."""

import hashlib
from collections.abc import Mapping

from django.utils import timezone

from annotation.models import Annotation, Contrastive, Project
from epitome.metrics.contrastive_scores import RULES
from modelbridge.models import Run, RunState, System, SystemOutput, SystemRevision

WORDS = ("boats", "storms", "fares", "mayors", "ports", "winds", "bells", "coasts")


def make_examples(project: Project, *, rules=RULES) -> list[Contrastive]:
    """One example of each rule of every human summary: its first word, `Gold`, is another one."""
    rows = []
    for gold in Annotation.objects.filter(project=project).order_by("pk"):
        summary = gold.payload["summary"]
        for number, rule in enumerate(rules):
            now = WORDS[number % len(WORDS)]
            text = (now + summary[len("Gold") :]).lower()
            rows.append(
                Contrastive(
                    project=project,
                    sample_id=gold.sample_id,
                    annotation=gold,
                    rule=rule,
                    text=text,
                    text_key=hashlib.sha256(text.encode()).hexdigest(),
                    edits=[{"start": 0, "end": 4, "was": "Gold", "now": now}],
                    generator="import",
                )
            )
    return Contrastive.objects.bulk_create(rows)


def make_scorer_run(project: Project, scores: Mapping[str, float], *, key: str = "scorer", label: str = "") -> Run:
    """A finished run in which every gold has the sum -10. scores: public id of an example -> its sum."""
    system = System.objects.create(project=project, key=key, name=key)
    revision = SystemRevision.objects.create(
        system=system, number=1, kind="likelihood", role="score", config_toml="", config_hash=key
    )
    run = Run.objects.create(
        project=project, revision=revision, state=RunState.DONE, over="contrastives", n_samples=1, seed=0, label=label
    )
    by_sample: dict[int, dict[str, dict[str, float]]] = {}
    for sample, public_id in Contrastive.objects.filter(project=project).values_list("sample_id", "public_id"):
        if str(public_id) in scores:
            total = scores[str(public_id)]
            by_sample.setdefault(sample, {})[f"contrastive:{public_id}"] = {"sum": total, "mean": total / 5}
    SystemOutput.objects.bulk_create(
        SystemOutput(
            project=project,
            run=run,
            sample_id=sample,
            position=place,
            work_order=place,
            state="done",
            scores={"gold": {"sum": -10.0, "mean": -2.0}, "texts": texts},
            finished_at=timezone.now(),
        )
        for place, (sample, texts) in enumerate(sorted(by_sample.items()))
    )
    return run


def check_round(
    name: str = "Check", *, per_rule: int = 2, n_raters: int = 1, selection: str = "", head: str = "", more: str = ""
) -> str:
    return f"""[round]
name = "{name}"
template = "contrastive-check"
seed = 7
raters_per_item = {n_raters}
{head}
[selection]
per_rule = {per_rule}
{selection}
[[target]]
kind = "contrastive"
{more}
"""
