"""Makes a backup: every row in one snapshot of the database, then the files of the data folder."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from django.db import connection
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.services.backup import data_files, table_rows
from annotation.services.backup.archive_writer import ArchiveWriter, open_new_archive
from annotation.services.core.errors import Conflict
from annotation.services.exports.manifests import software_version


class BackupReport(NamedTuple):
    tables: int
    rows: int
    files: int
    bytes: int
    with_secret_key: bool


def back_up_site(*, path: Path, progress: Callable[[str], None] = lambda _name: None) -> BackupReport:
    """Write the archive; the site may be in use meanwhile.

    The files come after the rows: what a row of the snapshot names is then there, unless it was deleted since.
    Raises Conflict if the file exists or a file of the data folder changes while it is read, BadInput if the archive
    cannot be written.
    """
    with open_new_archive(path) as archive:
        with table_rows.read_snapshot():
            migrations = table_rows.list_migrations()
            tables = [_add_table(archive, model, progress) for model in table_rows.list_models()]
        n_files = _add_files(archive, progress)
        with_secret_key = data_files.uses_key_file()
        if with_secret_key:
            archive.add_bytes(data_files.KEY_MEMBER, data_files.key_file().read_bytes())
        archive.add_manifest(
            {
                "made_at": timezone.now().isoformat(),
                "software": {"name": "epitome", "version": software_version()},
                "engine": connection.vendor,
                "secret_key": data_files.fingerprint_secret_key(),
                "migrations": migrations,
                "tables": tables,
            }
        )
    return BackupReport(
        tables=len(tables),
        rows=sum(table["rows"] for table in tables),
        files=n_files,
        bytes=path.stat().st_size,
        with_secret_key=with_secret_key,
    )


def _add_table(archive: ArchiveWriter, model: Any, progress: Callable[[str], None]) -> dict[str, Any]:
    table = model._meta.db_table
    progress(table)
    n_rows, members = archive.add_lines(f"tables/{table}", table_rows.encode_rows(model))
    return {"table": table, "columns": table_rows.list_columns(model), "rows": n_rows, "members": members}


def _add_files(archive: ArchiveWriter, progress: Callable[[str], None]) -> int:
    n_files = 0
    for name, path in data_files.list_files():
        progress(name)
        try:
            stream = path.open("rb")
        except FileNotFoundError:  # deleted since the folder was listed
            continue
        with stream:
            size = path.stat().st_size
            try:
                archive.add_stream(name, stream, size)
            except OSError as error:
                if stream.tell() < size:
                    raise Conflict(_("%(file)s changed while it was read. Try again.") % {"file": name}) from error
                raise
        n_files += 1
    return n_files
