"""PostgreSQL compresses long texts with lz4, which is several times quicker than its default; nothing elsewhere."""

from django.db import DatabaseError, migrations, transaction

COLUMNS = [("annotation_sourcetext", "segments_json")]


def _set(schema_editor, method):
    if schema_editor.connection.vendor != "postgresql":
        return
    for table, column in COLUMNS:
        try:
            with transaction.atomic(using=schema_editor.connection.alias), schema_editor.connection.cursor() as cursor:
                cursor.execute(f"ALTER TABLE {table} ALTER COLUMN {column} SET COMPRESSION {method}")
        except DatabaseError:
            # A server built without lz4 keeps its default: slower, and right.
            return


def use_lz4(apps, schema_editor):
    _set(schema_editor, "lz4")


def use_default(apps, schema_editor):
    _set(schema_editor, "default")


class Migration(migrations.Migration):
    dependencies = [("annotation", "0001_initial")]
    operations = [migrations.RunPython(use_lz4, use_default, elidable=False)]
