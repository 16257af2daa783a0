"""In a process and a database of its own: a site with rows in most tables, taken back to an older version of the
database and upgraded. Prints as JSON what is not as it was.

Columns that the older version did not have are empty afterwards, as on a site that comes from it; everything else, and
what people see of it, must be there.
"""

import json
import os
from typing import Any

SEEN = (
    *("", "members/", "documents/", "samples/", "annotations/", "guideline/", "schema/", "questions/", "notes/"),
    *("inspections/", "runs/", "systems/", "rounds/", "invitations/", "crowd-links/", "draws/", "export/?state=latest"),
)
"""Calls below a project."""


def read_seen(api_world: Any, ids: dict[str, Any]) -> dict[str, tuple[int, str]]:
    """What an admin and a rater are shown, by address."""
    admin, rater, annotator = (api_world.signed_in(name) for name in ("admin", "rater", "annotator"))
    asked = [(admin, f"projects/news/{path}") for path in SEEN]
    asked += [(admin, f"annotations/{ids['annotations']}/"), (admin, f"annotations/{ids['annotations']}/scores/")]
    asked += [(admin, f"rounds/{ids['rounds']}/"), (admin, f"runs/{ids['runs']}/outputs/")]
    asked += [(rater, f"items/{ids['items']}/"), (annotator, f"assignments/{ids['assignments']}/")]
    seen = {}
    for caller, path in asked:
        answer = caller("GET", path)
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        seen[path] = (answer.status_code, body.decode())
    return seen


def read_rows(columns: dict[str, list[str]]) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of every table, in the columns given, in the order of the first."""
    from django.db import connection

    rows = {}
    with connection.cursor() as cursor:
        for table, names in columns.items():
            listed = ", ".join(connection.ops.quote_name(name) for name in names)
            cursor.execute(f"SELECT {listed} FROM {connection.ops.quote_name(table)}")
            rows[table] = sorted(cursor.fetchall(), key=repr)
    return rows


def list_columns(apps: Any) -> dict[str, list[str]]:
    """Table -> its columns, of the models of a version."""
    return {
        model._meta.db_table: [field.column for field in model._meta.local_concrete_fields]
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy
    }


def fill_site() -> tuple[Any, dict[str, Any]]:
    """A project with one of everything; the annotator has submitted one summary and holds another."""
    from tests.api import access_table
    from tests.api.world import build

    api_world = build()
    api_world.as_("admin")
    return api_world, access_table.collect_ids(api_world)


def run_here(before: dict[str, str]) -> dict[str, Any]:
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor
    from django.test.utils import setup_test_environment

    setup_test_environment()
    call_command("migrate", verbosity=0, skip_checks=True)
    api_world, ids = fill_site()
    seen = read_seen(api_world, ids)
    executor = MigrationExecutor(connection)
    here = list(executor.loader.graph.leaf_nodes())
    there = [(app, before.get(app, name)) for app, name in here]
    old_columns = list_columns(executor.loader.project_state(there).apps)
    new_columns = list_columns(executor.loader.project_state(here).apps)
    kept = {
        table: [name for name in names if name in old_columns[table]]
        for table, names in new_columns.items()
        if table in old_columns
    }
    rows = read_rows(kept)
    executor.migrate(there)
    MigrationExecutor(connection).migrate(here)
    rows_after, seen_after = read_rows(kept), read_seen(api_world, ids)
    return {
        "steps": sum(name != before.get(app, name) for app, name in here),
        "tables": sum(map(bool, rows.values())),
        "rows": sum(map(len, rows.values())),
        "lost": {table: len({*map(repr, rows[table])} - {*map(repr, rows_after[table])}) for table in rows},
        "added": {table: len(rows_after[table]) - len(rows[table]) for table in rows},
        "refused": {path: status for path, (status, _body) in seen.items() if status != 200},
        "seen_otherwise": {path: [text, seen_after[path]] for path, text in seen.items() if text != seen_after[path]},
    }


if __name__ == "__main__":
    print(json.dumps(run_here(json.loads(os.environ["EPITOME_UPGRADE_FROM"]))))
