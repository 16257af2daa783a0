"""`manage.py extract_tuples PROJECT --source metadata`: instances of aggregation tasks from articles."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import as_json, command_error, convert_service_errors, get_project, progress_of
from annotation.services.aggregations import articles, backgrounds, wikipedia
from annotation.services.aggregations.extraction import WAYS, ExtractionOptions, extract_tuples, preview_extraction
from epitome.aggregations.backgrounds import Background
from epitome.aggregations.drawing import DEFAULT_N, DEFAULT_SEED
from epitome.figures.numbers import format_measure


class Command(BaseCommand):
    help = "Extract tuples of entities with their contexts, as tasks of the kind aggregation."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument(
            "--source",
            choices=articles.SOURCES,
            default=articles.METADATA,
            help="entities of the articles' metadata, or names that the pipeline finds",
        )
        parser.add_argument("--n", type=int, default=DEFAULT_N, help=f"instances in the project; default {DEFAULT_N}")
        parser.add_argument("--seed", type=int, default=DEFAULT_SEED, help=f"default {DEFAULT_SEED}")
        parser.add_argument(
            "--by",
            choices=WAYS,
            default="",
            help="draw each of all instances equally likely, or each article in turn, small tuples first; "
            "default: instances with metadata, articles with ner",
        )
        parser.add_argument("--backgrounds", metavar="FILE.jsonl", help="lines with name, title, url and extract")
        parser.add_argument(
            "--wikipedia", action="store_true", help="look up what is missing: one call per name, over the network"
        )
        parser.add_argument("--dry-run", action="store_true", help="store nothing; print what there is")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        project = get_project(options["project"])
        with convert_service_errors():
            chosen = ExtractionOptions(options["source"], options["n"], options["seed"], options["by"])
            given_backgrounds = _read_backgrounds(options["backgrounds"])
            if options["dry_run"]:
                with progress_of("Reading articles") as progress:
                    figures = preview_extraction(
                        project=project, options=chosen, given=given_backgrounds, progress=progress
                    )
                self.stdout.write(as_json(figures) if options["json"] else "\n".join(describe_figures(figures)))
                return
            with progress_of("Extracting instances") as progress:
                counts = extract_tuples(project=project, options=chosen, given=given_backgrounds, progress=progress)
            counts["backgrounds_filled"] = backgrounds.fill_backgrounds(
                project=project, given=given_backgrounds, by=None
            )
            if options["wikipedia"]:
                with progress_of("Asking Wikipedia") as progress:
                    counts |= wikipedia.look_up_backgrounds(project=project, progress=progress)
            counts["without_background"] = backgrounds.count_missing(project)
        self.stdout.write(as_json(counts) if options["json"] else describe_counts(counts))


def _read_backgrounds(file: str | None) -> dict[str, Background]:
    if file is None:
        return {}
    path = Path(file)
    try:
        with path.open("rb") as lines:
            return backgrounds.read_file(lines, path.name)
    except OSError as error:
        raise command_error(f"{path.name}: cannot be read: {error.strerror}") from error


def describe_counts(counts: dict[str, int]) -> str:
    text = (
        f"{counts['instances']} instances in {counts['groups']} tuples of {counts['articles']} articles, "
        f"{counts['slots']} places to fill; {counts['before']} instances were there before; "
        f"{counts['without_background']} names without a background"
    )
    if "looked_up" in counts:
        text += (
            f". Wikipedia: {counts['looked_up']} names looked up, {counts['found']} found, "
            f"{counts['ambiguous']} ambiguous, {counts['missing']} missing, {counts['failed']} failed"
        )
    return text


def describe_figures(figures: dict[str, Any]) -> list[str]:
    """The figures of a dry run, a line each."""

    def join_counts(counts: dict[str, int]) -> str:
        return ", ".join(f"{key} {n}" for key, n in counts.items()) or "none"

    def format_size(size: float | None) -> str:
        return format_measure(size) if size is not None else "n/a (no instance)"

    return [
        f"articles: {figures['articles']}, {figures['articles_without_entities']} of them without entities",
        f"entities: {join_counts(figures['entities'])}",
        f"tuples by size: {join_counts(figures['tuples'])}",
        f"instances in sentences: {join_counts(figures['instances']['content'])}",
        f"instances in abstracts: {join_counts(figures['instances']['abstract'])}",
        f"mean tuple size: {format_size(figures['mean_tuple_size'])}",
        f"windows with too many entities: {figures['crowded_windows']}",
        f"names: {figures['names']}, {figures['names_without_background']} of them without a background",
        f"would be drawn: {figures['drawn']}, {figures['drawn_without_background']} of them lack a background; "
        f"stored before: {figures['stored_before']}",
        f"of articles: {figures['drawn_articles']}, {format_size(figures['drawn_mean_size'])} entities per instance",
        *(f"much of the draw: {n} of article {article}" for article, n in figures["large_articles"].items()),
    ]
