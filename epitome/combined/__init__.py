"""People and model judges together: estimates that cost fewer human judgements at the same certainty.

from epitome import combined
print(combined.estimate(human=[1, 0, 1, None, None, None], judge=[1, 0, 1, 1, 0, 1]))

Human judgements are few and right by definition; a judge's are many and may be wrong. Every estimate here is centred on
what people would say of all items, however bad the judge; a good judge only makes the interval narrower.
"""

from typing import TYPE_CHECKING

from epitome.lazy_exports import export_lazily

if TYPE_CHECKING:
    from epitome.combined.judged_items import TooFew
    from epitome.combined.public import (
        CombinedScore,
        CombinedScores,
        combine_files,
        combine_rows,
        compare,
        estimate,
        follow,
        plan,
    )
    from epitome.combined.sequences import Look
    from epitome.results import Score, Scores

__all__ = [
    "CombinedScore",
    "CombinedScores",
    "Look",
    "Score",
    "Scores",
    "TooFew",
    "combine_files",
    "combine_rows",
    "compare",
    "estimate",
    "follow",
    "plan",
]

__getattr__, __dir__ = export_lazily(__name__, dict.fromkeys(__all__, "epitome.combined.public"))
