"""One result for a row from the results of its texts, by the role of the system."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from epitome.systems.batching import Failure
from epitome.systems.protocol import Output
from epitome.systems.roles import traits_of
from modelbridge.services.runs.text_sets import Material

GONE = "There is no text for this sample any more."


def combine_results(role: str, materials: Sequence[Material], results: Sequence[Output | Failure]) -> Output | Failure:
    """The result of a row. score: `scores` holds {"gold": {sum, mean, tokens, of}, "texts": {key: the same}}, the first
    text being the gold one. judge: {"label": one of the answers or "", "of"}. rank, transform: the one output. The
    first failure of a text is the failure of the row: a row is whole or not there."""
    if not results:
        return Failure(GONE)
    for material, result in zip(materials, results, strict=True):
        if isinstance(result, Failure):
            return result if len(results) == 1 else Failure(f"{material.key}: {result.reason}")
    outputs = [result for result in results if isinstance(result, Output)]
    if traits_of(role).scores:
        return _combine_scores(materials, outputs)
    if traits_of(role).judges:
        label = outputs[0].text if outputs[0].decoding.get("valid") else ""
        return replace(outputs[0], scores={"label": label, "of": materials[0].origin})
    return outputs[0]


def _combine_scores(materials: Sequence[Material], outputs: Sequence[Output]) -> Output:
    rows = [
        (material.key, {**output.scores, "of": material.origin})
        for material, output in zip(materials, outputs, strict=True)
    ]
    scores: dict[str, Any] = {"gold": rows[0][1], "texts": dict(rows[1:])}
    usage: Counter[str] = Counter()
    for output in outputs:
        usage.update(output.usage)
    return replace(
        outputs[0],
        scores=scores,
        usage=dict(usage),
        seconds=sum(output.seconds for output in outputs),
        truncated=max(output.truncated for output in outputs),
    )
