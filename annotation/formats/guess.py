"""Guesses which column of a file is the id, the text, the summary ...: by name, then by content."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from annotation.formats.request_values import fit_value
from annotation.formats.row_references import ATTRIBUTE, SUMMARY_METADATA
from annotation.formats.tool_exports import MIN_SUMMARY_WORDS
from annotation.schema import Attribute, Schema
from annotation.text.words import n_words

SYNONYMS: dict[str, tuple[str, ...]] = {
    "id": (
        "id", "externalid", "articleid", "articleno", "articlenumber", "docid", "documentid", "docno", "sourceid",
        "textid", "itemid", "recordid", "paperid", "paper", "arxivid", "rowid", "taskid", "uid", "uuid", "guid", "key",
        "identifier", "number", "no", "nr", "filename", "idx", "index",
    ),
    "text": (
        "text", "article", "body", "content", "document", "fulltext", "articletext", "articlebody", "bodytext",
        "documenttext", "sourcetext", "source", "maintext", "story", "dialogue", "dialog", "transcript", "passage",
        "paragraph", "input", "inputtext", "doc", "review", "post", "message", "description",
    ),
    "title": ("title", "headline", "heading", "header", "subject", "articletitle", "documenttitle", "name"),
    "summary": (
        "summary", "summaries", "highlights", "abstract", "reference", "referencesummary", "goldsummary",
        "humansummary",
        "summarytext", "tldr", "gold", "target", "output", "teaser", "lead", "synopsis", "outline",
    ),
    "summary_title": ("summarytitle", "titleofsummary", "summaryheadline"),
    "relevant_segments": ("relevantsegments", "relevantspans", "relevanttextspans", "evidence", "evidencesegments"),
    "origin_id": ("originid", "origin", "meetingid", "parentid", "groupid"),
    "split": ("split", "subset", "partition", "fold"),
    "licence": ("licence", "license", "rights"),
    "may_release_text": ("mayreleasetext", "mayrelease", "releasetext"),
    "segments": ("segments", "turns", "utterances", "sentences"),
}  # fmt: skip
"""Our field -> names of columns, lower case without punctuation, the best first."""
ABOUT_SUMMARIES = ("set", "origin", "rewrittenfrom", "prompthash", "systemrevision")
"""Names of columns that tell where a summary comes from, as a dataset of rewritten summaries has them."""
WEAK_IDS = ("key", "identifier", "number", "no", "nr", "filename", "idx", "index")
"""Names that are an id only where no value repeats."""
_ORIGIN_OF_SUMMARY = re.compile(r"abstract$|rewrite:")
MIN_TEXT_WORDS = 8
AttributeTest = Callable[[str, Any], bool]
"""Whether a value fits an attribute of the project's schema."""


def build_attribute_tests(schema: Schema) -> dict[str, AttributeTest]:
    """For each attribute of a schema, whether a cell holds a value of it."""

    def test_of(attribute: Attribute) -> AttributeTest:
        def fits(_key: str, value: Any) -> bool:
            if not attribute.has_distance:
                return isinstance(value, str | list)
            return fit_value(attribute, value) in attribute.values

        return fits

    return {attribute.key: test_of(attribute) for attribute in schema.attributes}


def guess_mapping(
    rows: Sequence[Mapping[str, Any]],
    columns: Sequence[str],
    attributes: Mapping[str, AttributeTest] | None = None,
    *,
    has_texts: bool = True,
) -> dict[str, str]:
    """{our field: column} for the first rows of a file. attributes: a test of a value per attribute of the schema.
    has_texts: whether the texts are in this file; else its longest texts are summaries.

    A field is absent where no column fits; without an id, ids are to be made from row numbers. A column without a name
    cannot be mapped.
    """
    columns = [name for name in columns if name]
    values = {name: [row[name] for row in rows if row.get(name) not in (None, "")] for name in columns}
    mapping: dict[str, str] = {}
    for field in SYNONYMS:
        if name := _find_by_name(field, columns, values, set(mapping.values())):
            mapping[field] = name
    _settle_segments(mapping)
    if not has_texts:
        _add_longest_text(mapping, columns, values, "summary")
    elif "text" not in mapping and "segments" not in mapping:
        _add_longest_text(mapping, columns, values, "text")
    if "summary" not in mapping:
        _add_answers(mapping, columns, values)
    if "summary" in mapping:
        for name in columns:
            if _fold(name) in ABOUT_SUMMARIES and name not in mapping.values():
                mapping[f"{SUMMARY_METADATA}{name}"] = name
    for key, fits in (attributes or {}).items():
        name = _find_attribute(key, columns, values, fits, set(mapping.values()))
        if name and "summary" in mapping:
            mapping[f"{ATTRIBUTE}{key}"] = name
    return mapping


def _fold(name: str) -> str:
    return "".join(char for char in name.lower().rsplit(".", 1)[-1] if char.isalnum())


def _find_by_name(field: str, columns: Sequence[str], values: Mapping[str, list[Any]], taken: set[str]) -> str | None:
    """The column with the best synonym of the field whose content fits it."""
    names = SYNONYMS[field]
    folded = sorted((names.index(_fold(name)), name) for name in columns if _fold(name) in names and name not in taken)
    fitting = [name for _rank, name in folded if _content_fits(field, values[name])]
    if field == "id":  # rows of one source with several summaries repeat its id, but not a number or a key
        fitting = [name for name in fitting if _fold(name) not in WEAK_IDS or _are_distinct(values[name])]
    return fitting[0] if fitting else None


def _are_distinct(values: list[Any]) -> bool:
    return len(set(map(str, values))) == len(values)


def _content_fits(field: str, values: list[Any]) -> bool:
    if not values:
        return field in ("text", "title", "summary")
    if field == "id":
        return all(isinstance(value, str | int) and 0 < len(str(value)) <= 200 for value in values)
    if field == "origin_id":
        return not all(_ORIGIN_OF_SUMMARY.match(str(value)) for value in values)
    if field == "segments":
        return all(isinstance(value, list) for value in values)
    if field == "may_release_text":
        return all(str(value).lower() in ("true", "false", "yes", "no", "0", "1") for value in values)
    if field == "split":
        return all(isinstance(value, str) and len(value) <= 20 for value in values)
    if field == "relevant_segments":
        return all(isinstance(value, list | str | int) for value in values)
    if field in ("summary", "summary_title"):
        return all(isinstance(value, str) or _is_list_of_texts(value) for value in values)
    # One row with a number or a list is a fault of that row; the column is still the text.
    return 2 * sum(isinstance(value, str) for value in values) >= len(values)


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _settle_segments(mapping: dict[str, str]) -> None:
    """A row holds a text or segments: segments count, since they keep the speakers."""
    if "segments" in mapping and "text" in mapping:
        del mapping["text"]


def _mean_words(values: list[Any]) -> float:
    texts = [text for value in values for text in (value if isinstance(value, list) else [value])]
    counts = [n_words(text) for text in texts if isinstance(text, str)]
    return sum(counts) / len(counts) if counts and len(counts) == len(texts) else 0.0


def _add_longest_text(
    mapping: dict[str, str], columns: Sequence[str], values: Mapping[str, list[Any]], field: str
) -> None:
    """The column with the longest texts is the text, or the summary, where no name says so."""
    if field in mapping:
        return
    lengths = {
        name: _mean_words(values[name])
        for name in columns
        if name not in mapping.values() and all(isinstance(value, str) for value in values[name])
    }
    longest = max(lengths, key=lambda name: lengths[name], default=None)
    min_words = MIN_TEXT_WORDS if field == "text" else MIN_SUMMARY_WORDS
    if longest is not None and (lengths[longest] >= min_words or len(columns) == 1):
        mapping[field] = longest


def _add_answers(mapping: dict[str, str], columns: Sequence[str], values: Mapping[str, list[Any]]) -> None:
    """A column of lists of texts that are too long to be labels holds summaries (answers of an annotation tool)."""
    for name in columns:
        is_free = name not in mapping.values() and values[name]
        if is_free and all(map(_is_list_of_texts, values[name])) and _mean_words(values[name]) >= MIN_SUMMARY_WORDS:
            mapping["summary"] = name
            return


def _find_attribute(
    key: str, columns: Sequence[str], values: Mapping[str, list[Any]], fits: AttributeTest, taken: set[str]
) -> str | None:
    for name in columns:
        if _fold(name) == _fold(key) and name not in taken and all(fits(key, value) for value in values[name]):
            return name
    return None
