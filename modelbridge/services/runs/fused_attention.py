"""The mean attention to fused adapters over the outputs of a run."""

from typing import Any

from epitome.systems.attention_means import AttentionMeans
from epitome.systems.neural.fusion_attention import KEY
from modelbridge.models import OutputState, Run

KIND = "adapter-fusion"
MAX_OUTPUTS = 5_000
"""The first outputs, this many, of a run are read for its page."""


def mean_run_attention(run: Run) -> dict[str, Any]:
    """See AttentionMeans.as_dict; {} for other kinds of systems and for outputs that have none."""
    if run.revision.kind != KIND:
        return {}
    means = AttentionMeans()
    rows = run.outputs.filter(state=OutputState.DONE).order_by("position").values_list("told", "scores")
    for told, scores in rows[:MAX_OUTPUTS].iterator(chunk_size=500):
        if KEY in scores:
            means.add(told, scores[KEY])
    return means.as_dict()
