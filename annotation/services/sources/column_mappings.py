"""Column mappings that a project keeps from its imports: one per set of column names, used only where it fits."""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from annotation.models import Project
from annotation.services.core.errors import NotFound
from annotation.transactions import write_transaction
from epitome.formats.options import SEVERAL, ImportOptions

MAX_KEPT = 50


class SavedMapping(NamedTuple):
    """columns: our field -> the file's column. header: all column names of the file it was given for.
    skipped_columns, row_ids, exact_mapping, list_separator and summary_lists: see ImportOptions."""

    columns: dict[str, str]
    file_name: str
    header: frozenset[str]
    skipped_columns: tuple[str, ...] = ()
    row_ids: bool = False
    exact_mapping: bool = False
    list_separator: str = ";"
    summary_lists: str = SEVERAL

    @classmethod
    def of_options(cls, options: ImportOptions, file_name: str, header: frozenset[str]) -> "SavedMapping":
        """The mapping of an import, to be kept."""
        return cls(
            dict(options.mapping or {}),
            file_name,
            header,
            tuple(options.skipped_columns),
            options.row_ids,
            options.exact_mapping,
            options.list_separator,
            options.summary_lists,
        )

    def apply(self, options: ImportOptions) -> ImportOptions:
        """The options with this mapping."""
        return replace(
            options,
            mapping=self.columns,
            skipped_columns=self.skipped_columns,
            row_ids=self.row_ids,
            exact_mapping=self.exact_mapping,
            list_separator=self.list_separator,
            summary_lists=self.summary_lists,
        )

    @property
    def key(self) -> str:
        """Identifies the mapping within its project."""
        return _mapping_key(self.columns)

    def fits(self, header: Collection[str]) -> bool:
        """Whether a file with these columns has all the named ones, and none with our own name of a mapped field that
        the first file did not have: such a file most likely needs no mapping."""
        own_names = self.columns.keys() & set(header)
        return set(self.columns.values()) <= set(header) and own_names <= self.header


def _mapping_key(columns: Mapping[str, str]) -> str:
    return hashlib.sha256(json.dumps(sorted(columns.items())).encode()).hexdigest()[:16]


def list_saved_mappings(project: Project) -> list[SavedMapping]:
    """The kept mappings, the last used first."""
    rows = project.column_mapping.get("kept", [])
    return [
        SavedMapping(
            row["columns"],
            row["file_name"],
            frozenset(row["header"]),
            tuple(row.get("skipped_columns", ())),
            row.get("row_ids", False),
            row.get("exact_mapping", False),
            row.get("list_separator", ";"),
            row.get("summary_lists", SEVERAL),
        )
        for row in rows
    ]


def find_fitting_mapping(project: Project, header: Collection[str]) -> SavedMapping | None:
    """The mapping for a file with these columns: of those that fit, the one that names most of them."""
    fitting = [saved for saved in list_saved_mappings(project) if saved.fits(header)]
    return max(fitting, key=lambda saved: len(saved.columns), default=None)


def save_mapping(*, project: Project, saved: SavedMapping) -> None:
    """Keep the mapping of a file for later files with these columns."""
    if not saved.columns:
        return
    with write_transaction():
        locked = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        kept = list_saved_mappings(locked)
        if kept[:1] == [saved]:
            return
        _store_mappings(locked, [saved, *(row for row in kept if row.key != saved.key)][:MAX_KEPT])
    project.column_mapping = locked.column_mapping


def forget_mapping(*, project: Project, key: str) -> None:
    """Delete a kept mapping. Raises NotFound."""
    with write_transaction():
        locked = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        kept = list_saved_mappings(locked)
        remaining = [row for row in kept if row.key != key]
        if len(remaining) == len(kept):
            raise NotFound()
        _store_mappings(locked, remaining)
    project.column_mapping = locked.column_mapping


def _store_mappings(project: Project, mappings: list[SavedMapping]) -> None:
    rows: list[dict[str, Any]] = [
        {
            "columns": row.columns,
            "file_name": row.file_name,
            "header": sorted(row.header),
            "skipped_columns": sorted(row.skipped_columns),
            "row_ids": row.row_ids,
            "exact_mapping": row.exact_mapping,
            "list_separator": row.list_separator,
            "summary_lists": row.summary_lists,
        }
        for row in mappings
    ]
    project.column_mapping = {"kept": rows}
    project.save(update_fields=["column_mapping"])
