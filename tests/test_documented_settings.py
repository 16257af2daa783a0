"""docs/operations.md names every EPITOME_ variable that something reads, and none that nothing reads."""

import ast
import re
from functools import cache

from tests.conftest import ROOT
from tests.guards.checkout import Checkout

NAME = re.compile(r"EPITOME_[A-Z]+(?:_[A-Z]+)*")
OF_TESTS = {"EPITOME_TEST_DATABASE_URL", "EPITOME_TEST_REDIS_URL", "EPITOME_SHARED"}


@cache
def find_variables_read_by_code() -> frozenset[str]:
    """Names that stand alone in a string: what settings, server and commands ask the environment for."""
    checkout = Checkout()
    other_checkout = Checkout(
        names=[name for name in checkout.names if name.endswith(".py") and "EPITOME_" in checkout.read(name)]
    )
    return frozenset(
        node.value
        for tree in other_checkout.trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and NAME.fullmatch(node.value)
    )


def find_variables_read_by_compose() -> set[str]:
    return set(re.findall(r"\$\{(EPITOME_[A-Z_]+)", (ROOT / "compose.yaml").read_text(encoding="utf-8")))


def find_documented_variables() -> tuple[set[str], set[str]]:
    """Those with a row in the table of settings, and all that the page names."""
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`EPITOME_[^|]+)\|", text, re.MULTILINE)
    return {name for row in rows for name in NAME.findall(row)}, set(NAME.findall(text))


def test_every_variable_has_a_row_in_the_table():
    in_table, mentioned = find_documented_variables()

    assert find_variables_read_by_code() - in_table == set()
    assert find_variables_read_by_compose() - mentioned == set()


def test_no_variable_is_described_that_nothing_reads():
    in_table, mentioned = find_documented_variables()
    read_by_code = find_variables_read_by_code()

    assert in_table - read_by_code == set()
    assert mentioned - read_by_code - find_variables_read_by_compose() - OF_TESTS == set()
