"""Names that say nothing: of variables, of functions and of modules."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from tests.guards.checkout import Checkout

VAGUE_NAMES = {
    *("found", "one", "each", "told", "given", "kept", "said", "asked", "wanted", "held", "shown", "taken", "named"),
    *("made", "left", "whole", "part", "parts", "own", "most", "least", "before", "after", "done"),
}
VAGUE_SHARE = 0.6
"""At most so many of a hundred assigned names."""
VAGUE_SUPPORT_SHARE = 1.0
"""The same for tests, benchmarks and tools."""
BARE_VERBS = {"act", "find", "free", "look", "make", "of", "run", "take", "told", "told_of", "whole"}
ONE_WORD_SHARE = 25
"""At most so many of a hundred functions at module level."""

# Modules that were renamed, by the folder that may not get one of that name again.
RENAMED_BELOW = {
    "annotation/services": {
        *("asking", "shapes", "lines", "cutting", "checking", "storing", "publishing", "signing", "work", "starting"),
        *(
            "joining",
            "participation",
            "freezing",
            "choosing",
            "reserving",
            "describing",
            "bulk",
            "steering",
            "overview",
        ),
        *("counts", "ledger_days", "reassigning", "skips", "measuring", "scoring", "withdrawn", "reading_ahead"),
        *("choices", "dataset", "inspected"),
    },
    "annotation/views": {"shown_tables", "trial", "compared", "steps", "common", "address"},
    "annotation/api": {"compared", "unknown"},
    "evaluation/services": {"entering", "barring", "showing", "following", "instructing", "targets"},
    "modelbridge/services": {"hosts", "leasing", "listing"},
    "modelbridge/views": {"told"},
    "epitome/systems/controlled_extract": {"wanted", "pieces", "naming"},
}
RENAMED_IN = {
    "annotation/services": {"people", "scores", "meters"},
    "annotation/services/statistics": {"storing", "arms"},
    "epitome/measures": {"names", "content"},
    "annotation/views": {"setup"},
    "epitome/rounds": {"protocols"},
    "epitome/systems": {"units", "wire", "picking"},
}


def find_vague_variables(checkout: Checkout) -> Iterator[str]:
    """Every place, once they are more than their share of all assigned names (arguments are not counted)."""
    yield from _list_vague_variables(checkout.trees, VAGUE_SHARE)
    yield from _list_vague_variables(checkout.support_trees, VAGUE_SUPPORT_SHARE)


def _list_vague_variables(trees: Mapping[str, ast.Module], share: float) -> list[str]:
    assigned, places = 0, []
    for name, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                assigned += 1
                if node.id.strip("_") in VAGUE_NAMES:
                    places.append(f"{name}:{node.lineno}: {node.id} does not say what it holds")
    return places if len(places) * 100 > share * assigned else []


def find_bare_verbs(checkout: Checkout) -> Iterator[str]:
    for name, function in checkout.functions():
        if function.name.strip("_") in BARE_VERBS:
            yield f"{name}:{function.lineno}: {function.name}() does not name its object"


def find_one_word_functions(checkout: Checkout) -> Iterator[str]:
    """Every place, once they are more than their share of all functions at module level."""
    functions = list(checkout.functions())
    places = [
        f"{name}:{function.lineno}: {function.name}() is one word of too many"
        for name, function in functions
        if "_" not in function.name.strip("_") and function.name.islower()
    ]
    if len(places) * 100 > ONE_WORD_SHARE * len(functions):
        yield from places


def find_renamed_modules(checkout: Checkout) -> Iterator[str]:
    for name in checkout.trees:
        path = PurePosixPath(name)
        below = {stem for folder, stems in RENAMED_BELOW.items() if f"{folder}/" in name for stem in stems}
        if path.stem in below | RENAMED_IN.get(str(path.parent), set()):
            yield f"{name}: this module was renamed because nobody could guess what it holds"
        elif "/views/" in name and path.stem.endswith("_words"):
            yield f"{name}: texts of views are in messages.py or *_messages.py"
