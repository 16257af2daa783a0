"""`manage.py export PROJECT --output FILE`: the dataset as a file with its manifest, or its contrastive examples."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import as_json, command_error, convert_service_errors, get_project, progress_of
from annotation.models import Project
from annotation.services.contrastives import exporting as contrastives_exporting
from annotation.services.exports import exporting
from annotation.services.exports.exporting import ExportOptions

WHAT = ("dataset", "contrastives")
ONLY_DATASET = ("state", "overlap", "split", "split_seed", "shares", "release", "authorship")


def _parse_shares(text: str) -> tuple[int, ...]:
    """The numbers of `60,20,20`. Raises ValueError, which argparse reports; the service checks the rest."""
    return tuple(int(share) for share in text.split(","))


class Command(BaseCommand):
    help = "Export a project: JSON lines, MACSum's JSON or Parquet, and FILE.manifest.json beside it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--output", required=True, metavar="FILE")
        parser.add_argument(
            "--what", choices=WHAT, default="dataset", help="dataset (default), or contrastive examples as JSON lines"
        )
        parser.add_argument("--format", choices=list(exporting.FORMATS), default="jsonl")
        parser.add_argument(
            "--state", choices=exporting.STATES, help="latest (default): all states, each line names its own"
        )
        parser.add_argument(
            "--overlap", choices=exporting.OVERLAPS, help="all (default), or of compared samples the marked summary"
        )
        parser.add_argument("--split", choices=exporting.SPLITS, help="keep (default) or draw by origin")
        parser.add_argument("--split-seed", type=int, metavar="N", help="draw by origin with this seed (default 0)")
        parser.add_argument(
            "--shares",
            type=_parse_shares,
            metavar="N,N,N",
            help="percent of train, dev and test, drawn by origin (default: the schema's, usually 80,10,10)",
        )
        parser.add_argument("--release", metavar="TAG", help="freeze the list of rows, or build a frozen one again")
        parser.add_argument(
            "--authorship", action="store_true", help="add how summaries came about, as shares, where writers agreed"
        )
        parser.add_argument("--json", action="store_true", help="print the manifest as one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        project = get_project(options["project"])
        path = Path(options["output"])
        if path.is_dir() or not path.parent.is_dir():
            raise command_error(f"--output {path.name}: name a file in a folder that exists")
        if options["what"] == "contrastives":
            self._export_contrastives(project, path, options)
            return
        names = ("format", "state", "overlap", "split", "split_seed", "shares", "release", "authorship")
        chosen = ExportOptions(**{name: options[name] for name in names})
        with convert_service_errors(), progress_of(f"Exporting {project.slug}") as progress:
            manifest = exporting.export_to(project=project, path=path, options=chosen, progress=progress)
        self._warn(manifest)
        if options["json"]:
            self.stdout.write(as_json(manifest))

    def _export_contrastives(self, project: Project, path: Path, options: dict[str, Any]) -> None:
        if dataset_options := [name for name in ONLY_DATASET if options[name]]:
            raise command_error(f"--{dataset_options[0].replace('_', '-')} does not go with --what contrastives")
        with convert_service_errors():
            n_lines = contrastives_exporting.export_to(project=project, path=path)
        if options["json"]:
            self.stdout.write(as_json({"file": path.name, "examples": n_lines}))

    def _warn(self, manifest: dict[str, Any]) -> None:
        release = manifest.get("release")
        if release is not None and not release["same_as_first"]:
            self.stderr.write(
                f"release {release['tag']} differs from its first build ({release['missing_rows']} rows are gone, or "
                f"texts were withdrawn): SHA-256 {manifest['sha256'][:12]}, first {release['first_sha256'][:12]}"
            )
        for change in (release or {}).get("withdrawals", ()):
            self.stderr.write(
                f"release {manifest['filters']['release']} cannot be built again byte for byte: on {change['at'][:10]} "
                f"work was withdrawn, {change['rows']} of its rows"
            )
        left_out = manifest["counts"]["sources_without_text"]
        if left_out:
            self.stderr.write(f"the texts of {left_out} sources may not be released and were left out")
        if unlicensed := manifest["counts"]["sources_without_licence"]:
            self.stderr.write(f"{unlicensed} sources have no licence; check before you publish")
