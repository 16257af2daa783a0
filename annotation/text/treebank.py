"""NLTK's Penn Treebank word tokenizer, without the rest of NLTK.

`import nltk` loads the entire library, including scipy.stats: seconds and 100 MB for a few regular expressions.
So this one module is imported under empty stand-in packages, which are removed again: a later `import nltk` gets the
full library.
"""

import sys
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from threading import Lock
from types import ModuleType

_MODULE = "nltk.tokenize.destructive"
_import_lock = Lock()


@lru_cache(maxsize=1)
def treebank_tokenize() -> Callable[[str], list[str]]:
    """`NLTKWordTokenizer().tokenize`: the tokens of one sentence. Raises ModuleNotFoundError without nltk."""
    with _import_lock:
        module = import_module(_MODULE) if "nltk" in sys.modules else _import_alone()
    tokenize: Callable[[str], list[str]] = module.NLTKWordTokenizer().tokenize
    return tokenize


def _import_alone() -> ModuleType:
    spec = find_spec("nltk")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("nltk is not installed", name="nltk")
    try:
        for name, folder in (("nltk", ""), ("nltk.tokenize", "/tokenize")):
            bare = ModuleType(name)
            bare.__path__ = [place + folder for place in spec.submodule_search_locations]
            sys.modules[name] = bare
        return import_module(_MODULE)
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "nltk"]:
            del sys.modules[name]
