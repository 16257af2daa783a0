"""Source rows in bulk: COPY on PostgreSQL, executemany on SQLite. Called inside a write transaction."""

import uuid
from collections.abc import Iterator, Sequence
from typing import Any

from django.db import connection
from django.utils import timezone

from annotation.models import SourceDocument, SourceImport, SourceText
from epitome.formats.staged import StagedSource

COLUMNS = (
    "id",
    "public_id",
    "project_id",
    "source_import_id",
    "published",
    "external_id",
    "origin_id",
    "position",
    "title",
    "split",
    "licence",
    "may_release_text",
    "metadata_json",
    "content_hash",
    "n_segments",
    "n_words",
    "n_tokens",
    "selected",
    "damaged",
    "damaged_reason",
    "extractor",
    "created_at",
)
DOCUMENTS = SourceDocument._meta.db_table
TEXTS = SourceText._meta.db_table


def insert_sources(*, source_import: SourceImport, batch: Sequence[StagedSource]) -> None:
    """Store sources and their texts, hidden until their import is published."""
    store = _copy_rows if connection.vendor == "postgresql" else _execute_many
    store(source_import, batch)


def _build_rows(
    source_import: SourceImport, batch: Sequence[StagedSource], ids: Sequence[int]
) -> Iterator[tuple[Any, ...]]:
    now: Any = timezone.now()
    as_hex = not connection.features.has_native_uuid_field
    if connection.vendor == "sqlite":
        now = connection.ops.adapt_datetimefield_value(now)
    project, its_import = source_import.project_id, source_import.pk
    for number, source in zip(ids, batch, strict=True):
        public_id = uuid.uuid4()
        yield (
            number,
            public_id.hex if as_hex else public_id,
            project,
            its_import,
            False,
            source.external_id,
            source.origin_id,
            source.position,
            source.title,
            source.split,
            source.licence,
            source.may_release_text,
            source.metadata_json,
            source.content_hash,
            source.n_segments,
            source.n_words,
            None,
            True,
            False,
            "",
            "",
            now,
        )


def _copy_rows(source_import: SourceImport, batch: Sequence[StagedSource]) -> None:
    """Raises Django's IntegrityError for an id that is there already, which COPY itself does not."""
    with connection.wrap_database_errors, connection.cursor() as cursor:
        # No disk sync here: the publishing commit syncs, and with it everything written before.
        cursor.execute("SET LOCAL synchronous_commit = off")
        cursor.execute(
            "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)", [DOCUMENTS, len(batch)]
        )
        ids = [row[0] for row in cursor.fetchall()]
        with cursor.cursor.copy(f"COPY {DOCUMENTS} ({', '.join(COLUMNS)}) FROM STDIN") as copy:
            for row in _build_rows(source_import, batch, ids):
                copy.write_row(row)
        with cursor.cursor.copy(f"COPY {TEXTS} (document_id, segments_json) FROM STDIN") as copy:
            for number, source in zip(ids, batch, strict=True):
                # JSON text has no raw control characters: only backslashes need escaping in COPY's text format.
                copy.write(b"%d\t%b\n" % (number, source.content.replace(b"\\", b"\\\\")))


def _execute_many(source_import: SourceImport, batch: Sequence[StagedSource]) -> None:
    with connection.cursor() as cursor:
        # The transaction is IMMEDIATE, so no other writer takes ids. The inserts advance AUTOINCREMENT.
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [DOCUMENTS])
        sequence_row = cursor.fetchone()
        first = (sequence_row[0] if sequence_row else 0) + 1
        ids = range(first, first + len(batch))
        places = ", ".join(["%s"] * len(COLUMNS))
        cursor.executemany(
            f"INSERT INTO {DOCUMENTS} ({', '.join(COLUMNS)}) VALUES ({places})",  # noqa: S608 - names of our own
            list(_build_rows(source_import, batch, ids)),
        )
        cursor.executemany(
            f"INSERT INTO {TEXTS} (document_id, segments_json) VALUES (%s, %s)",  # noqa: S608
            [(number, source.content.decode()) for number, source in zip(ids, batch, strict=True)],
        )
