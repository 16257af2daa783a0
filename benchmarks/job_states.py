"""What a site holds, said without ids and times, so that two runs of the same work can be compared: rows of every table
and files of the data folder. For benchmarks/killing_jobs.py."""

import contextlib
import hashlib
import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

TIME = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?"
CHANGING = [
    (re.compile(r"(?<![0-9a-f])[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}(?:-[0-9a-f]{8})?(?![0-9a-f])"), "<id>"),
    (re.compile(TIME), "<time>"),
]
"""What differs between two runs in any text."""
TIMED = {
    "seconds",
    "waited",
    "worked",
    "loaded",
    "asked",
    "peak_memory",
    "megabytes",
    "made",
    "created",
    "worker",
    "tokens_per_second",
    "resumed_from",
}
"""Names of values in JSON that are measured, or that are a time."""
LEFT_OUT = {"annotation.WorkerHeartbeat", "sessions.Session", "annotation.JobsSeen"}
COLUMNS_LEFT_OUT = {
    "annotation.Job": {"attempts", "worker", "progress_note", "lease_until", "started_at", "idempotency_key"},
    "annotation.AuditEvent": {"digest", "previous"},
}
"""What a second attempt may leave otherwise: it is one attempt more, by another worker."""
MOST_SHOWN = 3000
"""Tables with more rows are compared, but differing rows are not shown."""
Rows = dict[str, Counter[str]]


def mask(text: str) -> str:
    for pattern, name in CHANGING:
        text = pattern.sub(name, text)
    return text


def simplify(value: Any) -> Any:
    """A value of a column, or in JSON, without what differs between runs."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {mask(str(key)): None if key in TIMED else simplify(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [simplify(item) for item in value]
    if isinstance(value, datetime | date | time | timedelta | UUID):
        return f"<{type(value).__name__}>"
    if isinstance(value, bytes | memoryview):
        return hashlib.sha256(bytes(value)).hexdigest()
    return value if value is None or isinstance(value, bool | int | float) else str(value)


class Tables:
    """All rows; a row is named by what is in it, and by what its foreign keys name in turn. noted_again: events that
    every attempt notes that comes so far; they count once."""

    def __init__(self, left_out: Iterable[str] = (), noted_again: Iterable[str] = ()) -> None:
        from django.apps import apps

        self.noted_again = {f'"verb": "{verb}"' for verb in noted_again}

        self.bases: dict[str, dict[Any, str]] = {}
        self.links: dict[str, dict[Any, list[tuple[str, Any]]]] = {}
        for model in apps.get_models(include_auto_created=True):
            label = model._meta.label
            if label not in LEFT_OUT | {name.removesuffix(".*") for name in left_out} and not model._meta.proxy:
                self._read(model, label, {*left_out})

    def _read(self, model: Any, label: str, left_out: set[str]) -> None:
        skipped = COLUMNS_LEFT_OUT.get(label, set()) | {
            name.rpartition(".")[2] for name in left_out if name.startswith(f"{label}.")
        }
        fields = [field for field in model._meta.concrete_fields if field.name not in skipped]
        self.bases[label], self.links[label] = {}, {}
        for row in model._base_manager.values_list("pk", *(field.attname for field in fields)).iterator(5000):
            plain, links = {}, []
            for field, value in zip(fields, row[1:], strict=True):
                if field.remote_field is not None:
                    links.append((field.remote_field.model._meta.label, value))
                elif not field.primary_key:
                    plain[field.name] = simplify(value)
            self.bases[label][row[0]] = f"{json.dumps(plain, sort_keys=True, ensure_ascii=False, default=str)}"
            self.links[label][row[0]] = links

    def describe(self) -> tuple[Rows, dict[str, str]]:
        """(table -> how often each row is there, name of a row -> what is in it, where there are not too many)"""
        names = {label: {pk: _digest(base) for pk, base in rows.items()} for label, rows in self.bases.items()}
        for _round in range(3):
            names = {
                label: {pk: _digest(base, *self._follow(names, label, pk)) for pk, base in rows.items()}
                for label, rows in self.bases.items()
            }
        shown = {
            names[label][pk]: base
            for label, rows in self.bases.items()
            if len(rows) <= MOST_SHOWN
            for pk, base in rows.items()
        }
        rows = {label: Counter(by_pk.values()) for label, by_pk in names.items()}
        for name, n in rows.get("annotation.AuditEvent", Counter()).items():
            if n > 1 and any(verb in shown.get(name, "") for verb in self.noted_again):
                rows["annotation.AuditEvent"][name] = 1
        return rows, shown

    def _follow(self, names: dict[str, dict[Any, str]], label: str, pk: Any) -> list[str]:
        return [
            "" if value is None else names.get(target, {}).get(value, "gone") for target, value in self.links[label][pk]
        ]


def _digest(*texts: str) -> str:
    return hashlib.blake2b("\n".join(texts).encode(), digest_size=12).hexdigest()


def describe_files(folder: Path) -> dict[str, str]:
    """Path -> what is in it, both without what differs between runs; several files of one path are told apart."""
    files: Counter[tuple[str, str]] = Counter()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != "write.lock":
            files[mask(path.relative_to(folder).as_posix()), describe_content(path.read_bytes())] += 1
        elif path.is_dir() and path.parent != folder and not any(path.iterdir()):
            files[mask(path.relative_to(folder).as_posix()) + "/", "empty folder"] += 1
    return {f"{name} {n}": content for (name, content), n in sorted(files.items())}


def describe_content(content: bytes) -> str:
    if zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _digest(*(f"{mask(name)} {describe_content(archive.read(name))}" for name in archive.namelist()))
    with contextlib.suppress(ValueError):
        return _digest(json.dumps(simplify(json.loads(content)), sort_keys=True))
    try:
        return _digest(mask(content.decode()))
    except UnicodeDecodeError:
        return hashlib.sha256(content).hexdigest()[:24]


def compare(expected: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """What of the two differs, in words; [] for the same."""
    faults = []
    for table, rows in expected["rows"].items():
        other = found["rows"].get(table, Counter())
        if rows != other:
            less, more = rows - other, other - rows
            what = _show_difference(expected["shown"], found["shown"], less, more)
            faults.append(f"{table}: {less.total()} missing, {more.total()} more: {what}")
    names = expected["files"].keys() | found["files"].keys()
    for name in sorted(names):
        before, after = expected["files"].get(name), found["files"].get(name)
        if before != after:
            what = "missing" if after is None else "left over" if before is None else "another content"
            faults.append(f"file {name}: {what}")
    return faults


def _show_difference(
    expected: Mapping[str, str], found: Mapping[str, str], less: Counter[str], more: Counter[str]
) -> str:
    """In which values two of the rows differ, or one that has no counterpart."""
    first = json.loads(expected.get(next(iter(less), ""), "{}"))
    second = json.loads(found.get(next(iter(more), ""), "{}"))
    if not first or not second:
        return json.dumps(first or second)[:300]
    names = [name for name in first if first[name] != second.get(name)]
    return "; ".join(f"{name} {_cut(first[name])} / {_cut(second.get(name))}" for name in names) or "what it refers to"


def _cut(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) < 500 else f"{text[:250]}...{text[-250:]}"
