"""`manage.py publish PROJECT TAG`: check a release, and write it as a dataset that others can load."""

import tomllib
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import as_json, command_error, convert_service_errors, get_project, progress_of
from annotation.models import HitDecision, HitKind, Project, Publication
from annotation.services.exports import exporting
from annotation.services.publications import publications
from annotation.services.publications.folder_writer import write_folder
from annotation.services.publications.publication_check import check_publication
from annotation.services.publications.publication_jobs import push_publication
from annotation.services.publications.row_counts import RowCounts

DECISIONS = tuple(decision.value for decision in HitDecision if decision.value)


class Command(BaseCommand):
    help = "Check a release for publication; with --output or --push write or upload its data, card and datasheet."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("tag", help="the release; a new tag is frozen first")
        parser.add_argument("--output", metavar="FOLDER", help="write the dataset into this new or empty folder")
        parser.add_argument("--push", metavar="OWNER/NAME", help="upload it to the hub (EPITOME_HUB_TOKEN)")
        parser.add_argument("--private", action="store_true", help="with --push: not public on the hub")
        parser.add_argument("--state", choices=exporting.STATES, help="of a new release: accepted (default) or latest")
        parser.add_argument("--split-seed", type=int, metavar="N", help="of a new release: draw splits by origin")
        parser.add_argument(
            "--description", metavar="FILE", help="TOML with title, summary, authors, licence ... and [answers]"
        )
        for kind in HitKind:
            parser.add_argument(
                f"--{kind.value}s", choices=DECISIONS, help=f"what is done with undecided hits of kind {kind.value}"
            )
        parser.add_argument("--unlicensed", choices=["leave_out"], help="leave out texts that have no licence")
        parser.add_argument("--leaks", choices=["keep", "leave_out"], help="rows that leak between splits")
        parser.add_argument("--json", action="store_true", help="print what was found as one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        project = get_project(options["project"])
        if options["private"] and not options["push"]:
            raise command_error("--private goes with --push")
        with convert_service_errors():
            publication = self._open(project, options)
            self._describe(publication, options)
            with progress_of(f"Checking {options['tag']}") as progress:
                check_publication(publication=publication, progress=progress)
            self._decide(publication, options)
            written: RowCounts | None = None
            address = ""
            if options["output"]:
                with progress_of(f"Writing {options['output']}") as progress:
                    written = write_folder(publication=publication, folder=Path(options["output"]), progress=progress)
            if options["push"]:
                with progress_of(f"Uploading {options['push']}") as progress:
                    written, address = push_publication(
                        publication=publication,
                        repository=options["push"],
                        private=options["private"],
                        progress=progress,
                    )
        self._report(publication, written, address, as_object=options["json"])

    def _open(self, project: Project, options: dict[str, Any]) -> Publication:
        publication = publications.find_publication(project, options["tag"])
        if publication is not None:
            if options["state"] or options["split_seed"] is not None:
                raise command_error(f"the publication of {options['tag']} is there already: leave its options out")
            return publication
        return publications.start_publication(
            project=project, tag=options["tag"], state=options["state"], split_seed=options["split_seed"], by=None
        )

    def _describe(self, publication: Publication, options: dict[str, Any]) -> None:
        if not options["description"]:
            return
        path = Path(options["description"])
        try:
            changes = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise command_error(f"{path.name}: {error}") from error
        publications.save_description(publication=publication, changes=changes, by=None)

    def _decide(self, publication: Publication, options: dict[str, Any]) -> None:
        choices = {name: options[name] for name in publications.CHOICES if options[name]}
        if choices:
            publications.save_choices(publication=publication, choices=choices, by=None)
        for kind in HitKind:
            if decision := options[f"{kind.value}s"]:
                hits = publication.hits.undecided().filter(kind=kind)
                publications.decide_hits(publication=publication, hits=hits, decision=decision, by=None)

    def _report(self, publication: Publication, written: RowCounts | None, address: str, *, as_object: bool) -> None:
        checks = publication.checks
        obstacles = publications.list_obstacles(publication)
        n_undecided = publications.undecided_hits(publication).count()
        if as_object:
            finding_counts = {name: checks[name] for name in checks if name not in ("leave", "counts")}
            numbers = {"hits": publication.hits.count(), "undecided": n_undecided}
            files = [file.path for file in written.files] if written else []
            self.stdout.write(
                as_json({**finding_counts, **numbers, "obstacles": obstacles, "files": files, "address": address})
            )
            return
        self.stderr.write(
            f"{checks['sources']} sources, {checks['summaries']} texts; without a licence: {checks['unlicensed']}; "
            f"personal data: {publication.hits.count()} ({n_undecided} undecided); leaks: {checks['leaks']}"
        )
        for obstacle in obstacles:
            self.stderr.write(obstacle)
        if address:
            self.stdout.write(address)
