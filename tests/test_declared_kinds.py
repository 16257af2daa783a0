"""Services ask what a kind of task, a kind of system or a role declares; none compares their names."""

import ast
from pathlib import Path

import pytest

from annotation.kinds import KINDS as TASK_KINDS
from epitome.systems.kinds import ELSEWHERE, KINDS, REWRITING
from epitome.systems.protocol import ROLES
from modelbridge.models import System, SystemRevision

ROOT = Path(__file__).resolve().parent.parent
APPS = ("annotation", "modelbridge", "evaluation")
FIELDS = {"kind", "role", "task_kind"}
FILTERS = {"revision__kind", "revisions__kind", "revision__role", "revisions__role", "project__kind"}


def names_of_kinds():
    return set(TASK_KINDS) | set(KINDS) | set(ROLES)


def find_comparisons(source, names):
    """The lines on which a kind or a role is compared with a name."""
    lines = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare):
            items = [node.left, *node.comparators]
            fields = {item.attr for item in items if isinstance(item, ast.Attribute)}
            fields |= {item.id for item in items if isinstance(item, ast.Name)}
            texts = {inner.value for item in items for inner in ast.walk(item) if isinstance(inner, ast.Constant)}
            if fields & FIELDS and texts & names:
                lines.append(node.lineno)
        elif isinstance(node, ast.keyword) and node.arg in FILTERS and isinstance(node.value, ast.Constant):
            lines.append(node.value.lineno)
    return lines


@pytest.mark.parametrize("app", APPS)
def test_no_service_compares_the_name_of_a_kind_or_a_role(app):
    names = names_of_kinds()
    places = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / app / "services").rglob("*.py"))
        for line in find_comparisons(path.read_text(encoding="utf-8"), names)
    ]
    assert not places


def test_a_comparison_is_found():
    names = names_of_kinds()
    assert find_comparisons('if revision.kind != "upload": pass', names) == [1]
    assert find_comparisons('if role in ("judge", "score"): pass', names) == [1]
    assert find_comparisons('rows.filter(revision__kind="chat")', names) == [1]
    assert find_comparisons("if revision.declared_kind.elsewhere: pass", names) == []


def test_a_revision_of_a_kind_that_no_longer_exists_has_no_traits():
    gone = SystemRevision(system=System(key="old"), kind="gone", role="generate").declared_kind
    assert not (gone.elsewhere or gone.rewrites or gone.asks_server or gone.listed)
    assert {"upload"} == ELSEWHERE and {"chat-rewrite"} == REWRITING
