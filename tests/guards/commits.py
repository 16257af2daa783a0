"""Subjects of commits: `area: verb object`, at most 72 characters, as in "exports: write lines as orjson does"."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.guards.checkout import Checkout

LONGEST = 72
SUBJECT = re.compile(r"(?:[a-z][a-z0-9 ,&/_.-]*): (?P<verb>[a-z][a-z-]*)(?: \S.*[^.\s])$")
NO_VERBS = re.compile(r"(?:(?!(?:bring|fling|ring|ping|string)$)\w+ing|\w+(?:[^e]ed)|the|an?|more|no|not|one|each)$")
"""Words that begin no request: "adds", "added" and "adding" are not "add"."""
EXCEPTIONS = {"embed", "feed", "need", "seed", "shed", "speed", "exceed", "proceed", "succeed", "weed"}
RULE = Path("tests/guards/commits.py")


def find_commit_faults(checkout: Checkout) -> Iterator[str]:
    """Commits since this rule was added, merges left out."""
    for subject in list_subjects(checkout.root):
        if fault := describe_fault(subject):
            yield f"commit {subject!r}: {fault}"


def describe_fault(subject: str) -> str:
    """What is wrong with a subject; "" where nothing is."""
    if len(subject) > LONGEST:
        return f"{len(subject)} characters, at most {LONGEST}"
    match = SUBJECT.fullmatch(subject)
    if match is None:
        return "not `area: verb object` in lower case and without a full stop"
    verb = match["verb"]
    if verb not in EXCEPTIONS and NO_VERBS.fullmatch(verb):
        return f"{verb!r} is no verb in the imperative"
    return ""


def list_subjects(root: Path) -> list[str]:
    """Subjects of the commits after the one that added this file; none where there is no history of it."""
    added = _run_git(root, "log", "--diff-filter=A", "--format=%H", "--", str(RULE)).split()
    return _run_git(root, "log", "--no-merges", "--format=%s", f"{added[-1]}..HEAD").splitlines() if added else []


def _run_git(root: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=root, capture_output=True, text=True).stdout
