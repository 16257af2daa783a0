"""Measures of a summary for each control attribute, f_r.

from epitome.measures import measure
measure("The council raised the budget.", source="...", requested={"topic": "budget"})
"""

from typing import TYPE_CHECKING

from epitome.lazy_exports import export_lazily
from epitome.measures.registry import ENGLISH, MEASURES, Measure, measure_summary
from epitome.measures.signature import Signature
from epitome.measures.source import Domain, SourceIndex
from epitome.measures.tagger import NoTagger, Tagger, spacy_tagger
from epitome.measures.values import Profile, Undefined, Value

if TYPE_CHECKING:
    from epitome.measures.public import measure
    from epitome.results import Score, Scores

__all__ = [
    "ENGLISH",
    "MEASURES",
    "Domain",
    "Measure",
    "NoTagger",
    "Profile",
    "Score",
    "Scores",
    "Signature",
    "SourceIndex",
    "Tagger",
    "Undefined",
    "Value",
    "measure",
    "measure_summary",
    "spacy_tagger",
]

__getattr__, __dir__ = export_lazily(
    __name__,
    {"measure": "epitome.measures.public", **dict.fromkeys(("Score", "Scores"), "epitome.results")},
)
