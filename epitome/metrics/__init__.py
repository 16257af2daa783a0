"""Metrics of controllable summarization on plain texts and labels; every result has interval, n and signature.

from epitome import metrics
print(metrics.macsum(sources, requests, references, predictions))
"""

from epitome.packages import check_own_packages

check_own_packages()

from epitome.metrics.ccsbench import ccsbench  # noqa: E402
from epitome.metrics.contrastive import contrastive  # noqa: E402
from epitome.metrics.macsum import cc, cer, macsum, macsum_file  # noqa: E402
from epitome.metrics.ranking import rank  # noqa: E402
from epitome.metrics.rouge import rouge  # noqa: E402
from epitome.results import Score, Scores  # noqa: E402

__all__ = ["Score", "Scores", "cc", "ccsbench", "cer", "contrastive", "macsum", "macsum_file", "rank", "rouge"]
