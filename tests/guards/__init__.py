"""`make check`: rules that linters do not know. Each guard yields the places that break its rule.

A guard that allows a share or a number of places names them all once they are too many.
"""

from collections.abc import Callable, Iterator

from tests.guards.banned_text import find_banned_text
from tests.guards.checkout import Checkout
from tests.guards.commits import find_commit_faults
from tests.guards.documents import find_missing_constants, find_missing_paths, find_unnamed_pages
from tests.guards.kinds import find_kind_switches
from tests.guards.names import find_bare_verbs, find_one_word_functions, find_renamed_modules, find_vague_variables
from tests.guards.plain_django import find_positional_rows, find_prepared_definitions
from tests.guards.private_parts import find_private_parts
from tests.guards.structure import (
    find_files_outside_features,
    find_ignored_attributes,
    find_long_files,
    find_long_functions,
    find_long_lines,
    find_missing_contracts,
    find_upward_imports,
)
from tests.guards.url_names import find_upper_url_names
from tests.guards.words import find_missing_plurals, find_one_are, find_shown_keys, find_unformatted_numbers

GUARDS: tuple[Callable[[Checkout], Iterator[str]], ...] = (
    find_banned_text,
    find_vague_variables,
    find_bare_verbs,
    find_one_word_functions,
    find_renamed_modules,
    find_long_lines,
    find_long_functions,
    find_long_files,
    find_ignored_attributes,
    find_upward_imports,
    find_kind_switches,
    find_files_outside_features,
    find_missing_contracts,
    find_upper_url_names,
    find_missing_plurals,
    find_one_are,
    find_shown_keys,
    find_unformatted_numbers,
    find_missing_paths,
    find_missing_constants,
    find_unnamed_pages,
    find_commit_faults,
    find_private_parts,
    find_positional_rows,
    find_prepared_definitions,
)


def find_faults(checkout: Checkout) -> list[str]:
    return [fault for guard in GUARDS for fault in guard(checkout)]
