"""The packages that an installed site runs with: versions, licences, changes since the lock, and known advisories."""

import json
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

ROOT = Path(__file__).resolve().parent.parent.parent
LOCK_LINE = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)", re.MULTILINE)
MAX_LICENCE = 60
"""Characters; some packages put the whole text of their licence into their metadata."""


class UnreadableAdvisories(ValueError):
    """The file of advisories is not in OSV's format."""


@dataclass(frozen=True, slots=True)
class Dependency:
    name: str
    version: str
    licence: str
    locked: str = ""
    """The version that requirements/*.txt name, empty where none of them does or there is no checkout."""
    advisories: list[str] = field(default_factory=list)

    @property
    def is_changed(self) -> bool:
        return bool(self.locked) and self.locked != self.version


def list_dependencies(
    extras: Sequence[str] = ("web",), advisories: Sequence[Mapping[str, Any]] = (), package: str = "epitome"
) -> list[Dependency]:
    """What is installed of the package's requirements and theirs, by name; what its markers leave out is left out."""
    locked = read_locked_versions(ROOT / "requirements")
    records_by_name = _index_advisories(advisories)
    dependencies = []
    for name, installed in sorted(_walk_requirements(package, extras).items()):
        version = installed.version
        ids = sorted({record["id"] for record in records_by_name.get(name, ()) if is_affected(record, name, version)})
        dependencies.append(Dependency(name, version, read_licence(installed), locked.get(name, ""), ids))
    return dependencies


def _walk_requirements(package: str, extras: Sequence[str]) -> dict[str, Distribution]:
    installed_by_name: dict[str, Distribution] = {}
    to_do, done = [(package, frozenset(extras))], set()
    while to_do:
        step = to_do.pop()
        if step in done:
            continue
        done.add(step)
        try:
            installed = distribution(step[0])
        except PackageNotFoundError:
            continue
        if canonicalize_name(step[0]) != package:
            installed_by_name[canonicalize_name(step[0])] = installed
        for text in installed.requires or ():
            requirement = Requirement(text)
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in step[1] | {""}):
                to_do.append((requirement.name, frozenset(requirement.extras)))
    return installed_by_name


def read_licence(installed: Distribution) -> str:
    """The SPDX expression, else the classifiers, else the first line of the field; "not stated" where all are empty."""
    fields = {
        name: installed.metadata.get_all(name) or [""] for name in ("License-Expression", "Classifier", "License")
    }
    classified = [text.rpartition(" :: ")[2] for text in fields["Classifier"] if text.startswith("License")]
    licence_names = ", ".join(name for name in classified if name != "OSI Approved")
    written = fields["License"][0].strip().partition("\n")[0][:MAX_LICENCE]
    return fields["License-Expression"][0] or licence_names or written or "not stated"


def is_gpl(licence: str) -> bool:
    """Whether a licence asks that what is built on it be under the GPL or AGPL; the LGPL does not."""
    words = re.sub(r"(?i)lesser general public license|library or lesser general public license", "LGPL", licence)
    return bool(re.search(r"(?i)(?<!L)\bA?GPL|general public license", words))


def read_locked_versions(folder: Path) -> dict[str, str]:
    """The pinned versions by normalized name; empty where there is no such folder, as in an installed package."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.txt"))]
    return {canonicalize_name(name): version for text in texts for name, version in LOCK_LINE.findall(text)}


def read_advisories(path: Path) -> list[Mapping[str, Any]]:
    """The records of a file in OSV's format: one record, a list of them, JSON lines, or a zip of such files.

    Raises UnreadableAdvisories, with the place.
    """
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if name.endswith(".json")]
            return [record for name in names for record in _parse_records(archive.read(name), f"{path.name}: {name}")]
    return list(_parse_records(path.read_bytes(), path.name))


def _parse_records(content: bytes, place: str) -> Iterator[Mapping[str, Any]]:
    try:
        loaded = json.loads(content)
        records = loaded if isinstance(loaded, list) else [loaded]
    except ValueError:
        try:
            records = [json.loads(line) for line in content.splitlines() if line.strip()]
        except ValueError as error:
            raise UnreadableAdvisories(f"{place}: is not JSON ({error}).") from error
    for number, record in enumerate(records, 1):
        if not isinstance(record, Mapping) or not isinstance(record.get("id"), str):
            raise UnreadableAdvisories(f"{place}: record {number} has no id; advisories in OSV's format are read.")
        if not record.get("withdrawn"):
            yield record


def _index_advisories(advisories: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    index: dict[str, list[Mapping[str, Any]]] = {}
    for record in advisories:
        for affected in record.get("affected", ()):
            package = affected.get("package", {})
            if package.get("ecosystem") == "PyPI":
                index.setdefault(canonicalize_name(package.get("name", "")), []).append(record)
    return index


def is_affected(record: Mapping[str, Any], name: str, version: str) -> bool:
    """Whether an advisory names this version: in its list, or between the events of a range (OSV's schema)."""
    for affected in record.get("affected", ()):
        if canonicalize_name(affected.get("package", {}).get("name", "")) != name:
            continue
        if version in affected.get("versions", ()):
            return True
        ranges = [entry["events"] for entry in affected.get("ranges", ()) if entry.get("type") == "ECOSYSTEM"]
        if any(_is_between(events, version) for events in ranges):
            return True
    return False


def _is_between(events: Sequence[Mapping[str, str]], version: str) -> bool:
    inside = False
    try:
        installed = Version(version)
        for event in events:
            if "introduced" in event:
                inside = inside or event["introduced"] == "0" or installed >= Version(event["introduced"])
            elif "fixed" in event:
                inside = inside and installed < Version(event["fixed"])
            elif "last_affected" in event:
                inside = inside and installed <= Version(event["last_affected"])
    except InvalidVersion:  # told by the list of versions alone
        return False
    return inside
