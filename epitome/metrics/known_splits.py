"""Recognises published splits of MACSum by their content, not by their file name."""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from epitome.metrics.macsum_samples import MacsumFile
from epitome.metrics.published import find_table

DATASETS = {"cnndm": "macsum-doc", "qmsum": "macsum-dial"}
"""`metadata.dataset` in the released files -> key of the dataset in the published tables."""

FINGERPRINTS: Mapping[str, str] = {
    "e9fbb287c4540b9a2d8336fde75ab76311c74d9e8e03ed3ea4fda0dedbb486f4": "macsum-doc-dev",
    "b1ea6f35143ee9cdb1d975a1a4db0ae06fed291a3317b293f7ee9aaf8f3b70d4": "macsum-dial-dev",
}

_Counts = Mapping[str, Mapping[str, int]]
REQUESTS: Mapping[str, _Counts] = {
    "macsum-doc-test": {
        "length": {"short": 125, "normal": 293, "long": 129},
        "extractiveness": {"normal": 467, "high": 43, "full": 37},
        "specificity": {"normal": 475, "high": 72},
    },
    "macsum-dial-test": {
        "length": {"short": 50, "normal": 224, "long": 50},
        "extractiveness": {"normal": 236, "high": 39, "full": 49},
        "specificity": {"normal": 230, "high": 94},
    },
}
"""How often each value is requested in the released test files."""


@dataclass(frozen=True)
class KnownSplit:
    """key: `macsum-doc-dev`, as in the published tables; sure: how it was recognised, for people."""

    key: str
    sure: str

    @property
    def dataset(self) -> str:
        return self.key.rpartition("-")[0]

    @property
    def split(self) -> str:
        return self.key.rpartition("-")[2]

    @property
    def name(self) -> str:
        """`MAC-Doc dev`."""
        return find_table("macsum/splits").row(self.key).name


def file_fingerprint(file: MacsumFile) -> str:
    """SHA-256 of every sample's id and summary in file order; white space and Unicode forms do not matter."""
    digest = hashlib.sha256()
    for sample in file.samples:
        text = " ".join(unicodedata.normalize("NFC", sample.summary).split())
        digest.update(f"{sample.sample_id}\t{text}\n".encode())
    return digest.hexdigest()


def dataset_of(file: MacsumFile) -> str:
    """The dataset of MACSum that all sources of the file name as theirs, `macsum-doc` or `macsum-dial`; "" if none."""
    names = {source.metadata.get("dataset") for source in file.sources}
    return DATASETS.get(str(names.pop()), "") if len(names) == 1 else ""


def recognise_split(file: MacsumFile) -> KnownSplit | None:
    """The published split in the file; None if it is not one."""
    if key := FINGERPRINTS.get(file_fingerprint(file)):
        return KnownSplit(key, "recognised by its content: the samples' ids and summaries are those of the release")
    if not (dataset := dataset_of(file)):
        return None
    counts = {"samples": len(file.samples), "sources": len(file.sources)}
    for row in find_table("macsum/splits").rows:
        if row.key.rpartition("-")[0] == dataset and row.cells == counts:
            return _recognise_by_counts(file, row.key)
    return None


def _recognise_by_counts(file: MacsumFile, key: str) -> KnownSplit | None:
    size = f"its {len(file.samples)} samples of {len(file.sources)} sources"
    if key in FINGERPRINTS.values():
        return None  # the split's fingerprint is known and differs
    if key not in REQUESTS:
        return KnownSplit(key, f"taken for it by {size} alone")
    for attribute, expected in REQUESTS[key].items():
        if Counter(sample.requested[attribute] for sample in file.samples) != expected:
            return None
    return KnownSplit(key, f"recognised by {size} and by how often each value is asked for, not by its texts")
