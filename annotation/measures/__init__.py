"""Measures of a summary for each control attribute, f_r. No web code, no heavy imports at module level."""

from annotation.measures.registry import ENGLISH, MEASURES, Measure, measure_summary
from annotation.measures.signature import Signature
from annotation.measures.source import Domain, SourceIndex
from annotation.measures.tagger import NoTagger, Tagger, spacy_tagger
from annotation.measures.values import Profile, Undefined, Value

__all__ = [
    "ENGLISH",
    "MEASURES",
    "Domain",
    "Measure",
    "NoTagger",
    "Profile",
    "Signature",
    "SourceIndex",
    "Tagger",
    "Undefined",
    "Value",
    "measure_summary",
    "spacy_tagger",
]
