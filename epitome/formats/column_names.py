"""The names under which files have ids, texts, summaries ..., and what their cells then hold."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from epitome.formats.answers import SUBMITTED, Answer
from epitome.formats.row_references import ANSWER_KEYS
from epitome.formats.section_marks import has_section_marks
from epitome.formats.transcripts import is_turn
from epitome.formats.translated_names import add_names, fold_word, list_names
from epitome.text.words import n_words

_ENGLISH: dict[str, tuple[str, ...]] = {
    "id": (
        "id", "externalid", "articleid", "articleno", "articlenumber", "docid", "documentid", "docno", "sourceid",
        "textid", "itemid", "recordid", "paperid", "paper", "arxivid", "gemid", "bbcid", "billid", "patentid",
        "inputhash", "publicationnumber", "dialogueid", "dialogid", "conversationid", "convid", "transcriptid", "pmid",
        "sampleid", "exampleid", "instanceid", "rowid", "taskid", "fname", "globalsegid", "segid", "segmentid", "uid",
        "uuid", "guid", "hash", "hitid", "key", "identifier", "number", "no", "nr", "filename", "idx", "index",
        *list_names("weak_id"),
    ),
    "text": (
        "text", "article", "body", "content", "document", "fulltext", "articletext", "articlebody", "bodytext",
        "documenttext", "sourcetext", "source", "maintext", "story", "dialogue", "dialog", "transcript",
        "conversation", "report", "chapter", "passage", "paragraph", "paragraphs", "input", "inputtext", "doc",
        "documents", "review", "post", "selftext", "thread", "email", "emailbody", "message", "description",
        "displayedtext",
    ),
    "title": ("title", "headline", "heading", "header", "subject", "articletitle", "documenttitle", "name"),
    "summary": (
        "summary", "summaries", "highlights", "abstract", "reference", "references", "referencesummary",
        "referencesummaries", "goldsummary", "goldsummaries", "humansummary", "humansummaries", "summarytext",
        "abstracttext", "abstractsentences", "tldr", "gold", "target", "targets", "output", "teaser", "lead",
        "synopsis", "outline", "highlight", "standfirst", "taskanswers",
    ),
    "summary_title": ("summarytitle", "titleofsummary", "summaryheadline"),
    "relevant_segments": ("relevantsegments", "relevantspans", "relevanttextspans", "evidence", "evidencesegments"),
    "origin_id": ("originid", "origin", "meetingid", "parentid", "groupid"),
    "split": ("split", "subset", "partition", "fold"),
    "licence": ("licence", "license", "rights"),
    "may_release_text": ("mayreleasetext", "mayrelease", "releasetext"),
    "segments": (
        "segments", "turns", "utterances", "utt", "sentences", "articlesentences", "documentsentences",
        "sourcesentences",
    ),
}  # fmt: skip
SYNONYMS = add_names(_ENGLISH)
"""Our field -> names of columns, folded, the best first."""
SPEAKER_NAMES = (
    *("speaker", "speakers", "utterancespeaker", "utterancespeakers", "roles", "authors"),
    *list_names("speakers"),
)
"""Names of columns with the speakers of the turns in another column."""
WEAK_IDS = ("key", "identifier", "number", "no", "nr", "filename", "idx", "index", *list_names("weak_id"))
"""Names that are an id only where no value repeats."""
SYSTEM_NAMES = (
    "modelid", "model", "modelname", "system", "systemid", "systemname", "sysid", "modeltype", *list_names("system"),
)  # fmt: skip
"""Names of columns that say which system wrote a text."""
OUTPUT_NAMES = (
    "decoded", "prediction", "predictions", "predicted", "predictedsummary", "generated", "generatedsummary",
    "generatedtext", "hypothesis", "hypotheses", "hyp", "candidate", "candidatesummary", "modeloutput",
    "modeloutputs", "systemoutput", "systemoutputs", "systemsummary", "systemsummaries", "modelsummary",
    "modelsummaries", "machinesummary", "machinesummaries", "machinegenerated", *list_names("output"),
)  # fmt: skip
"""Names of columns of texts that systems wrote."""
OUTPUTS_BESIDE_SYSTEM = ("summary", "summaries", "summarytext", "output", "target", *list_names("summary"))
"""Names of columns of texts that systems wrote, where a column names the system."""
PIECES_NAMES = ("abstracttext", "abstractsentences", "articletext", "summarysentences", "highlights")
"""Names of columns in which a list of texts is one summary."""
MANY_NAMES = ("target", "targets", "references", "summaries", "referencesummaries", "goldsummaries", "humansummaries")
"""Names of columns in which a list of texts is several summaries."""
_ORIGIN_OF_SUMMARY = re.compile(r"abstract$|rewrite:")
_TOOL_PREFIX = re.compile("(?:INPUT|OUTPUT|ASSIGNMENT):(?!:)")
_SUFFIX = re.compile(r"(.*?)(?:[\W_]*(\d+)|[\W_]([A-Za-z]))")
MAX_SYSTEM = 80


def fold_column(name: str) -> str:
    """The name of a column without case, punctuation and what a tool puts before (`Input.`, `INPUT:`) or behind it
    (`:::`)."""
    name = _TOOL_PREFIX.sub("", name)
    return fold_word(name.split(":::", 1)[0] if ":::" in name else name.rstrip(". ").rsplit(".", 1)[-1])


def split_suffix(name: str) -> tuple[str, str]:
    """The folded name without the number or letter at its end, and that: `Summary_2` is ("summary", "2")."""
    match = _SUFFIX.fullmatch(name.split(":::", 1)[0])
    if match is None:
        return fold_column(name), ""
    return fold_column(match[1]), (match[2] or match[3]).lower()


def find_by_name(field: str, columns: Sequence[str], values: Mapping[str, list[Any]], taken: set[str]) -> list[str]:
    """The columns with a synonym of the field whose content fits it, the best first."""
    names = SYNONYMS[field]
    folded = [(fold_column(name), place, name) for place, name in enumerate(columns) if name not in taken]
    ranked = sorted((names.index(key), place, name) for key, place, name in folded if key in names)
    fitting = [name for _rank, _place, name in ranked if content_fits(field, values[name])]
    if field == "id":  # rows of one source with several summaries repeat its id, but not a number or a key
        fitting = [name for name in fitting if fold_column(name) not in WEAK_IDS or _are_distinct(values[name])]
    return fitting


def _are_distinct(values: list[Any]) -> bool:
    return len(set(map(str, values))) == len(values)


def content_fits(field: str, values: list[Any]) -> bool:
    """Whether the filled cells of a column can be a field."""
    if not values:
        return field in ("text", "title", "summary")
    if field == "id":
        return all(isinstance(value, str | int) and 0 < len(str(value)) <= 200 for value in values)
    if field == "origin_id":
        return not all(_ORIGIN_OF_SUMMARY.match(str(value)) for value in values)
    if field == "segments":
        return all(isinstance(value, list) or is_sections(value) for value in values)
    if field == "may_release_text":
        return all(str(value).lower() in ("true", "false", "yes", "no", "0", "1") for value in values)
    if field == "split":
        return all(isinstance(value, str) and len(value) <= 20 for value in values)
    if field == "relevant_segments":
        return all(isinstance(value, list | str | int) or has_section_marks(value) for value in values)
    if field in ("summary", "summary_title"):
        return all(map(is_answer, values))
    # One row with a number or a list is a fault of that row; the column is still the text.
    return 2 * sum(isinstance(value, str) for value in values) >= len(values)


def is_answer(value: Any) -> bool:
    """Whether a cell may hold summaries: a text, an object with one, one that names several, or a list of them."""
    if isinstance(value, list):
        return all(is_answer(item) for item in value)
    if isinstance(value, dict):
        has_text = any(isinstance(value.get(key), str) or is_list_of_texts(value.get(key)) for key in ANSWER_KEYS)
        return has_text or (bool(value) and all(isinstance(item, str) for item in value.values()))
    return isinstance(value, str | Answer)


def is_list_of_texts(value: Any) -> bool:
    """Whether a cell is a list of texts."""
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def is_sections(value: Any) -> bool:
    """Whether a cell is an object of lists of texts, such as the sentences of each section."""
    return isinstance(value, dict) and bool(value) and all(map(is_list_of_texts, value.values()))


def is_dialogue(value: Any) -> bool:
    """Whether a cell is a list of turns."""
    return isinstance(value, list) and bool(value) and all(map(is_turn, value))


def texts_of(value: Any) -> list[str]:
    """The texts in a cell of summaries; of answers the submitted ones, where there are any."""
    if isinstance(value, list):
        submitted = [item for item in value if isinstance(item, Answer) and item.state == SUBMITTED]
        return [text for item in submitted or value for text in texts_of(item)]
    if isinstance(value, dict):
        key = next((key for key in ANSWER_KEYS if key in value), None)
        return texts_of(value[key] if key is not None else list(value.values()))
    return [str(value)] if isinstance(value, str | Answer) else []


def mean_words(values: list[Any]) -> float:
    """Words of a text of the column in the mean; 0 without any."""
    counts = [n_words(text) for value in values for text in texts_of(value)]
    return sum(counts) / len(counts) if counts else 0.0


def is_called_summary(name: str) -> bool:
    """Whether a word in the name of a column is one for summaries."""
    return any(fold_word(word) in SYNONYMS["summary"] for word in re.split(r"[\W_]+", name))


def names_systems(values: list[Any]) -> bool:
    """Whether the filled cells of a column can be names of systems."""
    return bool(values) and all(isinstance(value, str | int) and len(str(value)) <= MAX_SYSTEM for value in values)
