"""Metrics of controllable summarization on plain texts and labels; every result has interval, n and signature.

from epitome import metrics
print(metrics.macsum(sources, requests, references, predictions))

The numbers themselves (CER, CC, ROUGE and those of the other protocols) are the modules beside this one.
"""

from typing import TYPE_CHECKING

from epitome.lazy_exports import export_lazily

if TYPE_CHECKING:
    from epitome.metrics.public.ccsbench import ccsbench
    from epitome.metrics.public.comparison import compare
    from epitome.metrics.public.contrastive import contrastive
    from epitome.metrics.public.macsum import cc, cer, macsum, macsum_file
    from epitome.metrics.public.ranking import rank
    from epitome.metrics.public.rouge import rouge
    from epitome.metrics.public.support import semantic, source_gain
    from epitome.results import Score, Scores

__all__ = [
    "Score",
    "Scores",
    "cc",
    "ccsbench",
    "cer",
    "compare",
    "contrastive",
    "macsum",
    "macsum_file",
    "rank",
    "rouge",
    "semantic",
    "source_gain",
]

__getattr__, __dir__ = export_lazily(
    __name__,
    {
        **dict.fromkeys(("Score", "Scores"), "epitome.results"),
        **dict.fromkeys(("cc", "cer", "macsum", "macsum_file"), "epitome.metrics.public.macsum"),
        "ccsbench": "epitome.metrics.public.ccsbench",
        "compare": "epitome.metrics.public.comparison",
        "contrastive": "epitome.metrics.public.contrastive",
        "rank": "epitome.metrics.public.ranking",
        "rouge": "epitome.metrics.public.rouge",
        **dict.fromkeys(("semantic", "source_gain"), "epitome.metrics.public.support"),
    },
)
