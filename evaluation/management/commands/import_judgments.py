"""`manage.py import_judgments PROJECT ROUND FILE`: errors that people marked in other tools, as answers to a round."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import as_json, command_error, convert_service_errors, get_project
from epitome.formats.reading import input_file
from epitome.rounds.outside_answers import parse_mapping
from evaluation.models import Round
from evaluation.services.rating.outside_import import import_answers
from evaluation.services.rating.outside_preview import OutsidePreview, describe_left_out, preview_answers


class Command(BaseCommand):
    help = (
        "Import errors that people marked in Pearmut or factgenie as answers to a round that asks for marked errors. "
        "All of a file is stored or nothing; importing it again adds nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("name", metavar="ROUND", help="the round's name")
        parser.add_argument("file", metavar="FILE", help="annotations.json of Pearmut; JSON lines or zip of factgenie")
        parser.add_argument(
            "--map",
            action="append",
            default=[],
            metavar="WORD=TARGET",
            help="what the round calls a word of the file: severity:minor=major, category:Contradiction=accuracy, "
            "answer:overall=fluency; severity:= and category:= stand for marks without any; = - leaves it out",
        )
        parser.add_argument("--dry-run", action="store_true", help="store nothing; exit 1 if it could not be imported")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        project = get_project(options["project"])
        round_ = Round.objects.filter(project=project, name=options["name"]).select_related("project").first()
        if round_ is None:
            raise command_error(f"the project {project.slug} has no round named {options['name'][:120]!r}")
        try:
            mapping = parse_mapping(options["map"])
        except ValueError as error:
            raise command_error(f"--map: {error}") from error
        path = Path(options["file"])
        if not path.is_file():
            raise command_error(f"{path.name}: there is no such file")
        with convert_service_errors():
            if not options["dry_run"]:
                self._show(import_answers(round_=round_, file=input_file(path), mapping=mapping, by=None), options)
                return
            preview = preview_answers(round_, input_file(path), mapping)
        self._show(preview, options)
        if preview.faults or preview.missing:
            words = ", ".join(str(choice.word) for choice in preview.missing)
            raise command_error(str(preview.faults[0]) if preview.faults else f"say with --map what becomes of {words}")

    def _show(self, preview: OutsidePreview, options: dict[str, Any]) -> None:
        if options["json"]:
            self.stdout.write(as_json({"dry_run": options["dry_run"], **preview.as_dict()}))
            return
        for line in _format_preview(preview, options["dry_run"]):
            self.stdout.write(line)


def _format_preview(preview: OutsidePreview, is_dry: bool) -> list[str]:
    deed = "would come in" if is_dry else "imported"
    counts = {
        "rater": len(preview.new_people),
        "item": preview.n_items,
        "rating": len(preview.new),
        "marked error": preview.n_marks,
        "other answer": preview.n_other_answers,
        "note": preview.n_notes,
    }
    lines = [f"{deed}: {', '.join(_count_noun(n, noun) for noun, n in counts.items())}"]
    if preview.n_repeated:
        lines.append(f"imported before: {_count_noun(preview.n_repeated, 'rating')}")
    for choice in preview.words:
        lines.append(f"{choice.word} ({choice.n}) becomes {choice.target or '?'}; {', '.join(choice.targets)}")
    for (reason, word), n in sorted(preview.left_out.items()):
        lines.append(f"left out: {n} {describe_left_out(reason, word)}")
    return lines + [f"  {difference}" for difference in preview.differences]


def _count_noun(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
