"""Loads a spaCy pipeline once per process, and identifies its exact weights.

Two profiles. `full` is the pipeline as it was trained. `topics` keeps only what gives parts of speech, which is
about twice as fast, and also splits tokens at brackets inside a word: "(CNN)Jackson" is bracket, CNN, bracket,
Jackson. The text itself is never changed.
"""

import hashlib
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from epitome.text.missing_library import explain_missing

if TYPE_CHECKING:
    from spacy.language import Language

DEFAULT_PIPELINE = "en_epitome_sm"
SHIPPED = Path(__file__).resolve().parent / "pipelines"

Profile = Literal["full", "topics"]

_NOT_FOR_TOPICS = (
    "ner", "entity_linker", "entity_ruler", "lemmatizer", "trainable_lemmatizer", "parser", "senter", "sentencizer",
    "textcat", "textcat_multilabel", "spancat",
)  # fmt: skip
_GIVES_POS = {"morphologizer", "attribute_ruler"}
# Files next to the weights that do not affect results.
_NOT_WEIGHTS = {"README.md", "LICENSE.txt", "LICENSE", "LICENSES_SOURCES", "metrics.json", "accuracy.json", "meta.json"}


class PipelineNotFound(Exception):
    """The pipeline named by EPITOME_SPACY_PIPELINE cannot be used, or spaCy is not installed; the message says why and
    what to do."""


def load_pipeline(name: str | None = None, *, profile: Profile = "full") -> "Language":
    """The spaCy pipeline called `name`: the shipped one (the default), a folder, or an installed package.

    Cached for the life of the process, one per (name, profile); do not modify the returned pipeline.
    Raises PipelineNotFound.
    """
    return _load_cached((name or "").strip() or DEFAULT_PIPELINE, profile)


def pipeline_id(nlp: "Language") -> str:
    """`name@version+hash`, for example en_epitome_sm@0.1.0+1a2b3c4d. The hash is of the files of the weights."""
    meta = nlp.meta
    name = f"{meta.get('lang', '')}_{meta.get('name', '')}"
    path = getattr(nlp, "_path", None)
    digest = hash_files(path) if path else hashlib.sha256(nlp.config.to_bytes()).hexdigest()
    return f"{name}@{meta.get('version', '0')}+{digest[:8]}"


@lru_cache(maxsize=8)
def _load_cached(name: str, profile: Profile) -> "Language":
    try:
        import spacy
        from spacy.about import __version__ as spacy_version
    except ModuleNotFoundError as error:
        raise PipelineNotFound(explain_missing(f"tagging words with {name}", "spaCy")) from error
    source = _find_pipeline(name)
    try:
        nlp = spacy.load(source, exclude=_NOT_FOR_TOPICS if profile == "topics" else ())
    except (OSError, ValueError, ImportError) as error:
        raise PipelineNotFound(
            f"EPITOME_SPACY_PIPELINE={name!r} does not load with spaCy {spacy_version}: {str(error)[:200]}"
        ) from error
    if profile == "topics":
        _trim_for_topics(nlp, name)
    return nlp


def _find_pipeline(name: str) -> Path | str:
    """Where the pipeline is: shipped, a folder, or a package name that spaCy can load."""
    import spacy.util

    shipped = SHIPPED / name
    if re.fullmatch(r"\w+", name) and (shipped / "config.cfg").is_file():
        return shipped
    folder = Path(name).expanduser()
    if (folder / "config.cfg").is_file():
        return folder
    if spacy.util.is_package(name):
        return name
    raise PipelineNotFound(
        f"EPITOME_SPACY_PIPELINE={name!r} is neither a folder with a spaCy pipeline (config.cfg) nor an installed "
        f"package. Install it, give its folder, or leave the setting empty for {DEFAULT_PIPELINE}, which is shipped."
    )


def _trim_for_topics(nlp: "Language", name: str) -> None:
    if not _GIVES_POS.intersection(nlp.pipe_names):
        raise PipelineNotFound(
            f"EPITOME_SPACY_PIPELINE={name!r} gives no parts of speech, so topic candidates cannot be made with it. "
            f"It has {', '.join(nlp.pipe_names) or 'no parts'}; {' or '.join(sorted(_GIVES_POS))} is needed."
        )
    if "morphologizer" in nlp.pipe_names and "attribute_ruler" not in nlp.pipe_names and "tagger" in nlp.pipe_names:
        nlp.remove_pipe("tagger")  # the morphologizer gives the parts of speech by itself
    tokenizer: Any = nlp.tokenizer
    if hasattr(tokenizer, "infix_finditer"):  # the tokenizers of some languages have no such rules
        tokenizer.infix_finditer = _topic_infixes(nlp, tokenizer).finditer


def _topic_infixes(nlp: "Language", tokenizer: Any) -> re.Pattern[str]:
    """The tokenizer's infix pattern, extended by brackets between letters or digits."""
    from spacy.lang.char_classes import ALPHA
    from spacy.util import compile_infix_regex

    default_pattern = getattr(tokenizer.infix_finditer, "__self__", None)  # the compiled pattern it is a method of
    infixes = [default_pattern.pattern] if isinstance(default_pattern, re.Pattern) else list(nlp.Defaults.infixes or ())
    return compile_infix_regex([*infixes, f"(?<=[{ALPHA}0-9])[()\\[\\]](?=[{ALPHA}0-9])"])


@lru_cache(maxsize=8)
def hash_files(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name not in _NOT_WEIGHTS and "__pycache__" not in path.parts:
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
