"""The texts that people and judges label: found again by the row they come from, compared by their hash."""

import hashlib
from collections.abc import Collection, Iterator
from typing import TypeVar

from annotation.kinds import get_task_kind
from annotation.models import Annotation, Project
from modelbridge.models import SystemOutput

ANNOTATION, OUTPUT = "annotation", "output"
BATCH = 1000
T = TypeVar("T")


def hash_text(text: str) -> str:
    """SHA-256 of a text, as in `HandLabel.text_hash`; lone surrogates count as they are."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def load_texts(project: Project, origins: Collection[str]) -> dict[str, str]:
    """origin -> its text as it is now. Origins that are gone, empty or of another project are absent."""
    kind = get_task_kind(project.kind, has_sample=True)
    texts: dict[str, str] = {}
    for keys in _split_batches(_keys_of(origins, ANNOTATION)):
        rows = Annotation.objects.filter(project=project, pk__in=keys).values_list("pk", "payload")
        texts |= {f"{ANNOTATION}:{pk}": kind.text_of(payload) for pk, payload in rows}
    for keys in _split_batches(_keys_of(origins, OUTPUT)):
        outputs = SystemOutput.objects.filter(project=project, pk__in=keys).values_list("pk", "text")
        texts |= {f"{OUTPUT}:{pk}": text for pk, text in outputs}
    return {origin: text for origin, text in texts.items() if text.strip()}


def _keys_of(origins: Collection[str], kind: str) -> list[int]:
    pairs = (origin.partition(":") for origin in origins)
    return sorted({int(key) for name, _colon, key in pairs if name == kind and key.isdecimal()})


def _split_batches(keys: list[T]) -> Iterator[list[T]]:
    for start in range(0, len(keys), BATCH):
        yield keys[start : start + BATCH]
