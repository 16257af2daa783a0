"""Restores a backup into an empty site: all of it or nothing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from django.contrib.contenttypes.models import ContentType
from django.utils.translation import gettext as _

from annotation.services.backup import data_files, table_rows
from annotation.services.backup.archive_reader import DamagedArchive, check_archive, read_members
from annotation.services.core.errors import Conflict
from annotation.transactions import write_transaction


class RestoreReport(NamedTuple):
    tables: int
    rows: int
    files: int
    key_replaced: bool


def restore_site(
    *, path: Path, other_key: bool = False, progress: Callable[[str], None] = lambda _name: None
) -> RestoreReport:
    """Restore an archive into a migrated database without rows. No process of the site may run meanwhile.

    The archive is read twice: first every member is checked, then rows are stored in one transaction and files are
    staged; the files are moved to their places just before the commit. `other_key` accepts that the site has another
    secret key than the archive.
    Raises DamagedArchive, and Conflict for a schema or key that is not this site's or a site with rows or other files.
    """
    manifest = check_archive(path, progress)
    _check_migrations(manifest)
    replaces_key = _check_secret_key(manifest, other_key)
    _check_tables(manifest)
    with data_files.stage_files() as files, write_transaction():
        if filled_table := table_rows.find_filled_table():
            raise Conflict(
                _("The database has rows (%(table)s). A backup is restored into an empty one: make it and migrate it.")
                % {"table": filled_table}
            )
        table_rows.delete_replaced_rows()
        n_rows = _restore_members(path, manifest, files, replaces_key, progress)
        table_rows.reset_sequences()
        table_rows.check_foreign_keys()
        files.move_all()
    ContentType.objects.clear_cache()
    return RestoreReport(
        tables=len(manifest["tables"]), rows=n_rows, files=len(files.staged) - replaces_key, key_replaced=replaces_key
    )


def _check_migrations(manifest: dict[str, Any]) -> None:
    applied = set(table_rows.list_migrations())
    archived = set(manifest["migrations"])
    version = manifest.get("software", {}).get("version", "?")
    if unknown := sorted(archived - applied):
        raise Conflict(
            _(
                "The backup was made by a newer Epitome (%(version)s): this database lacks %(migration)s. Install that "
                "version, run migrate, and restore then."
            )
            % {"version": version, "migration": unknown[0]},
            code="newer_schema",
        )
    if newer := sorted(applied - archived):
        raise Conflict(
            _(
                "The backup was made by an older Epitome (%(version)s), before %(migration)s. Restore it with that "
                "version, then upgrade and run migrate."
            )
            % {"version": version, "migration": newer[0]},
            code="older_schema",
        )


def _check_secret_key(manifest: dict[str, Any], other_key: bool) -> bool:
    """Whether the key file of this site is to be replaced by the archive's. Raises Conflict for another key."""
    if manifest["secret_key"] == data_files.fingerprint_secret_key():
        return False
    if data_files.KEY_MEMBER in manifest["members"] and data_files.uses_key_file():
        return True
    if other_key:
        return False
    raise Conflict(
        _(
            "This site has another secret key than the backup. Set EPITOME_SECRET_KEY to the key of the site that was "
            "backed up. With --other-key the backup is restored all the same: recovery codes and the ids of crowd "
            "links are then void, and everybody must sign in again."
        ),
        code="other_key",
    )


def _check_tables(manifest: dict[str, Any]) -> None:
    columns_by_table = {model._meta.db_table: table_rows.list_columns(model) for model in table_rows.list_models()}
    archived = {table["table"]: table["columns"] for table in manifest["tables"]}
    if archived != columns_by_table:
        differing = [name for name in archived | columns_by_table if archived.get(name) != columns_by_table.get(name)]
        raise Conflict(
            _("The tables of the backup are not those of this database (%(table)s).") % {"table": differing[0]}
        )


def _restore_members(
    path: Path,
    manifest: dict[str, Any],
    files: data_files.StagedFiles,
    replaces_key: bool,
    progress: Callable[[str], None],
) -> int:
    """Store the rows and stage the files, in the order of the archive; returns the number of rows."""
    tables = {table["table"]: table for table in manifest["tables"]}
    writers = {model._meta.db_table: table_rows.RowWriter(model) for model in table_rows.list_models()}
    rows_by_table = dict.fromkeys(tables, 0)
    for info, stream in read_members(path):
        progress(info.name)
        if info.name.startswith("tables/"):
            table = info.name.split("/")[1]
            try:
                rows_by_table[table] += writers[table].insert_lines(stream)
            except (ValueError, TypeError, KeyError) as error:
                raise DamagedArchive(_("There are no rows of its table in %(name)s.") % {"name": info.name}) from error
        elif info.name == data_files.KEY_MEMBER:
            if replaces_key:
                files.stage(info.name, stream, manifest["members"][info.name]["sha256"])
        elif info.name.startswith(data_files.FILE_PREFIXES):
            files.stage(info.name, stream, manifest["members"][info.name]["sha256"])
    for name, table in tables.items():
        if rows_by_table[name] != table["rows"]:
            raise DamagedArchive(_("%(name)s has not as many rows as the manifest says.") % {"name": name})
    return sum(rows_by_table.values())
