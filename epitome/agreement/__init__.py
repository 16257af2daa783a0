"""Agreement of raters, corrected for chance, and of annotators on what they marked in a text; with intervals.

from epitome.agreement import agreement, marking_agreement
print(agreement([["yes", "yes"], ["no", "yes"], ["no", None]]))
"""

from typing import TYPE_CHECKING

from epitome.lazy_exports import export_lazily

if TYPE_CHECKING:
    from epitome.agreement.public import agreement, marking_agreement
    from epitome.results import Score, Scores

__all__ = ["Score", "Scores", "agreement", "marking_agreement"]

__getattr__, __dir__ = export_lazily(
    __name__,
    {
        **dict.fromkeys(("Score", "Scores"), "epitome.results"),
        **dict.fromkeys(("agreement", "marking_agreement"), "epitome.agreement.public"),
    },
)
