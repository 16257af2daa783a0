"""How quickly contrastive examples are made: python -m benchmarks.contrastives [--golds 1000] [--per-gold 50]

Imports documents of MACSum's dev file (EPITOME_SHARED/data/macsum/macdoc/val.json), repeated with their segments
rotated, each with one of its summaries, into a new SQLite database; then makes the examples of all as
`make_contrastives` does. Prints one JSON object: golds and examples, golds a second, processor time of a gold with its
parsing, rules and rows (this process and those beside it), and the minutes that 10,000 golds take at this pace.
"""

import argparse
import json
import os
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.databases import own_database
from benchmarks.measures import SHARED

GOLDS = 10_000


def write_file(path: Path, golds: int) -> None:
    """A MACSum file with one summary for each document."""
    documents = json.loads((SHARED / "data" / "macsum" / "macdoc" / "val.json").read_bytes())
    rows = []
    for number in range(golds):
        document, turn = documents[number % len(documents)], number // len(documents)
        at = turn % len(document["source"])
        references = document["references"]
        rows.append(
            {
                "metadata": {**document["metadata"], "file_id": number},
                "source": document["source"][at:] + document["source"][:at],
                "references": [{**references[turn % len(references)], "relevant_turns": [0]}],
            }
        )
    path.write_text(json.dumps(rows))


def fill(path: Path) -> Any:
    from annotation.services.people.projects import create_project
    from annotation.services.sources.importing import import_file
    from epitome.formats.options import ImportOptions

    project = create_project(slug="bench", schema="macsum-doc")
    import_file(project=project, path=path, file_name="val.json", options=ImportOptions(with_references=True))
    return project


def processor_seconds() -> float:
    results = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(item.ru_utime + item.ru_stime for item in results)


def run(golds: int, per_gold: int, folder: Path) -> dict[str, Any]:
    import django

    django.setup()
    from django.core.management import call_command

    from annotation.services.contrastives import making
    from annotation.services.contrastives.maker_processes import PROCESSES, PROCESSES_FROM
    from annotation.services.contrastives.set_options import SetOptions

    call_command("migrate", verbosity=0)
    write_file(folder / "val.json", golds)
    project = fill(folder / "val.json")
    started, processor = time.perf_counter(), processor_seconds()
    contrastives = making.make_contrastives(project=project, options=SetOptions(per_gold=per_gold))
    seconds, processor = time.perf_counter() - started, processor_seconds() - processor
    return {
        "golds": contrastives["golds"],
        "examples": contrastives["examples"],
        "processes": PROCESSES if golds >= PROCESSES_FROM else 0,
        "seconds": round(seconds, 1),
        "golds_per_s": round(contrastives["golds"] / seconds, 1),
        "cpu_ms_per_gold": round(1000 * processor / contrastives["golds"], 1),
        "minutes_for_10000": round(GOLDS * seconds / contrastives["golds"] / 60, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--golds", type=int, default=1000)
    parser.add_argument("--per-gold", type=int, default=50)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, own_database("sqlite", Path(name)) as url:
        os.environ |= {
            "DATABASE_URL": url,
            "EPITOME_DATA_DIR": name,
            "DJANGO_SETTINGS_MODULE": "epitome.site.settings",
        }
        print(json.dumps(run(args.golds, args.per_gold, Path(name))))


if __name__ == "__main__":
    main()
