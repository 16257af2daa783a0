"""The vendored tokenizer gives NLTK's tokens, on real and on generated texts, and NLTK itself is not needed."""

import json
import subprocess
import sys
from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from epitome.text.tokens import sentence_texts
from epitome.text.treebank_rules import tokenize_sentence

PIECES = [
    *("can", "not", "cannot", "'tis", " 'twas", "gonna", "wanna ", "more'n", "d'ye", "n't", "'ll ", "N'T", "'S ", "s'"),
    *("...", "..", ". ", ".", "''", "``", '"', "--", "«", "»", "“", "”", "‘", "’", "–", "4:30", "a:b", "$5.50", "U.S."),
    *("\x1c", "\x85", "\u200d", "\u093e", "\u0301", "ſ", "ß", "\u212a", "\n", "\t", " ", "  ", "[(", ")}", ">", "?!"),
    *("@", ",", ";", "*", "&"),
]
sentences = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=12).map("".join)


@cache
def load_nltks_tokenizer() -> Callable[[str], list[str]]:
    """NLTK draws in scipy and sklearn: only who runs these tests waits for that."""
    from nltk.tokenize.destructive import NLTKWordTokenizer

    return NLTKWordTokenizer().tokenize


def read_macsum_texts(folder):
    """Every text of the samples (the development split), spoken or written, summaries included."""
    for path in sorted(folder.rglob("*.json")):
        pending = [json.loads(path.read_text())]
        while pending:
            value = pending.pop()
            if isinstance(value, str):
                yield value
            elif isinstance(value, list | dict):
                pending += value.values() if isinstance(value, dict) else value


def test_tokens_of_all_macsum_dev_samples_are_nltks(shared):
    texts = set(read_macsum_texts(shared / "data" / "macsum"))
    assert len(texts) > 1000
    for sentence in {sentence for text in texts for sentence in sentence_texts(text)}:
        assert tokenize_sentence(sentence) == load_nltks_tokenizer()(sentence)


@given(sentences)
@example("He didn't pay $5.50 (\"no\") -- cannot, won't; it's 4:30...")
@example("वह 'हि' नहीं\x1c. ")
def test_tokens_of_generated_sentences_are_nltks(sentence):
    assert tokenize_sentence(sentence) == load_nltks_tokenizer()(sentence)


@pytest.mark.parametrize("name", ["nltk", "scipy", "sklearn"])
def test_tokenizing_loads_no_big_library(name):
    code = (
        f"import sys; sys.modules[{name!r}] = None\n"
        "from epitome.text.tokens import split_tokens; print(*split_tokens('He didn\\'t (\"no\") -- cannot...'))"
    )
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.strip() == "He did n't ( `` no '' ) -- can not ..."
