"""The tuples with most failures, with their texts: the gold beside the contrastive that scored highest."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.models import Contrastive, Project
from epitome.text.diff import Piece, diff_words
from modelbridge.services.runs.contrastive_texts import load_gold_texts


def describe_worst_tuples(project: Project, runs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The same with texts read now, so that none is shown that was withdrawn since: per run `run`, `name` and `tuples`,
    each with sample, gold, contrastive, rule, both scores, failures of n, and `pieces` of the difference."""
    ids = {row["contrastive"] for run in runs for row in run["tuples"]}
    examples = {row.pk: row for row in _load_examples(project, ids)}
    golds = load_gold_texts(project, {example.annotation_id for example in examples.values()})
    return [
        {
            "run": run["run"],
            "name": run["name"],
            "tuples": [
                _describe_tuple(row, examples[row["contrastive"]], golds)
                for row in run["tuples"]
                if row["contrastive"] in examples and row["key"] in golds
            ],
        }
        for run in runs
    ]


def _load_examples(project: Project, ids: set[int]) -> list[Contrastive]:
    rows = Contrastive.objects.filter(project=project, pk__in=ids)
    return list(rows.select_related("sample__document").defer("edits", "from_source"))


def _describe_tuple(row: Mapping[str, Any], example: Contrastive, golds: Mapping[int, str]) -> dict[str, Any]:
    gold = golds[example.annotation_id]
    return {
        "sample": str(example.sample.public_id),
        "sample_id": f"{example.sample.document.external_id}#{example.sample.position}",
        "rule": example.rule,
        "state": example.state,
        "gold": gold,
        "contrastive_id": str(example.public_id),
        "contrastive": example.text,
        "gold_score": row["gold"],
        "contrastive_score": row["score"],
        "failures": row["failures"],
        "n": row["n"],
        "pieces": [{"kind": piece.kind, "text": piece.text} for piece in _mark_changes(gold, example.text)],
    }


def _mark_changes(gold: str, text: str) -> list[Piece]:
    """What was changed, by words. The generator may have written the text in lower case, which is no change."""
    return diff_words(gold.lower() if text == text.lower() else gold, text)
