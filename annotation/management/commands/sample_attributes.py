"""`manage.py sample_attributes PROJECT --seed 1`: draw attribute values, show what that would give, or undo it."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import as_json, command_error, convert_service_errors, get_project, progress_of
from annotation.models import Project
from annotation.services.sampling import draw as sample_draw
from annotation.services.sampling import draw_undo
from annotation.services.sampling.draw import DrawLimit
from epitome.sampling import MORE_BY
from epitome.schema import ALGORITHMS, SchemaError, Weights, parse_weights

OPTIONS = (
    "algorithm",
    "group_size",
    "no_topic_group",
    "no_topic_size",
    "per_2000_words",
    "per_source",
    "more_writers",
    "more_share",
    "more_by",
)


class Command(BaseCommand):
    help = "Draw samples for the sources that have none; --dry-run prints what that would give."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--algorithm", choices=ALGORITHMS, help="default: the schema's")
        parser.add_argument("--group-size", type=int, help="samples that share topics and speakers")
        parser.add_argument("--no-topic-size", type=int, help="samples of the group without topic")
        topic = parser.add_mutually_exclusive_group()
        topic.add_argument("--no-topic-group", action="store_true", default=None, help="a first group without topic")
        topic.add_argument("--every-group-with-topic", action="store_false", dest="no_topic_group", default=None)
        size = parser.add_mutually_exclusive_group()
        size.add_argument("--per-2000-words", type=float, help="samples per 2,000 words of a source")
        size.add_argument("--per-source", type=int, metavar="N", help="samples of every source, however long it is")
        parser.add_argument("--more-writers", type=int, metavar="N", help="annotators of the samples of --more-share")
        parser.add_argument("--more-share", type=float, metavar="P", help="per cent of samples that N people write")
        parser.add_argument("--more-by", choices=MORE_BY, help="what --more-share chooses (default: sample)")
        parser.add_argument("--weights", metavar="FILE.toml", help="for weighted and macsum-release")
        parser.add_argument("--add", action="store_true", help="also for sources that have samples")
        parser.add_argument("--dry-run", action="store_true", help="store nothing; print counts, tests and time")
        parser.add_argument("--pace", type=float, help="minutes per summary, for hours and pay; default: the project's")
        parser.add_argument("--most-samples", type=int, metavar="N", help="draw whole sources up to so many samples")
        parser.add_argument("--most-hours", type=float, metavar="H", help="the same in hours of writing")
        parser.add_argument("--most-money", type=float, metavar="M", help="the same at the project's pay per hour")
        parser.add_argument("--undo", action="store_true", help="undo the newest draw, if nobody has begun it")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        project = get_project(options["project"])
        if options["undo"]:
            self._undo_newest(project, as_object=options["json"])
            return
        overrides = {name: options[name] for name in OPTIONS if options[name] is not None}
        with convert_service_errors():
            if options["weights"] is not None:
                overrides["weights"] = _read_weights(options["weights"], project)
            chosen = sample_draw.default_options(project, seed=options["seed"], **overrides)
            limit = DrawLimit(options["most_samples"], options["most_hours"], options["most_money"])
            choice = {
                "project": project,
                "options": chosen,
                "add": options["add"],
                "most_samples": limit.count_samples(project, options["pace"], chosen),
            }
            if options["dry_run"]:
                run = sample_draw.dry_run(**choice, pace=options["pace"])
                self.stdout.write(as_json(run.as_dict()) if options["json"] else run.as_text().rstrip())
                return
            with progress_of("Sampling") as progress:
                counts = sample_draw.sample_attributes(**choice, progress=progress)
        if options["json"]:
            self.stdout.write(as_json(counts))
        else:
            self.stdout.write(
                f"{counts['samples']} samples in {counts['groups']} groups for {counts['sources']} sources, "
                f"{counts['slots']} places to fill; {counts['passed_over']} sources passed over"
            )
            if counts.get("left_sources"):
                self.stdout.write(f"{counts['left_sources']} sources left for a later draw")

    def _undo_newest(self, project: Project, *, as_object: bool) -> None:
        draw = draw_undo.list_draws(project).filter(undone_at=None).first()
        if draw is None:
            raise command_error("there is no draw to undo")
        with convert_service_errors():
            undone = draw_undo.undo_draw(draw=draw, by=None)
        text = f"Undone: {undone.samples} samples in {undone.groups} groups deleted, {undone.slots} places"
        self.stdout.write(as_json(undone._asdict()) if as_object else text)


def _read_weights(file: str, project: Project) -> Weights:
    path = Path(file)
    try:
        return parse_weights(path.read_bytes().decode(), project.schema_version.schema, name=path.name)
    except OSError as error:
        raise command_error(f"{path.name}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise command_error(f"{path.name}: is not UTF-8 (byte {error.start + 1})") from error
    except SchemaError as error:
        raise command_error(str(error)) from error
