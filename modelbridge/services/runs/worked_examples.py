"""The worked examples that a run shows its system: drawn once from human summaries, and the same throughout."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from annotation.models import Project, Sample
from annotation.services.core.errors import BadInput
from epitome.systems.examples import ExampleOptions, draw_examples, order_by_seed
from epitome.systems.protocol import SystemFault, WorkedExample
from epitome.systems.request_values import read_request_values
from epitome.systems.roles import traits_of
from modelbridge.models import Run, SystemRevision
from modelbridge.services.runs.references import references_of
from modelbridge.services.runs.sample_selection import complete_samples

NOTE = "examples"
"""Key in a run's notes: the samples of its examples, in their order."""
LOADED_AT_ONCE = 200


def find_example_options(revision: SystemRevision) -> ExampleOptions | None:
    """What the configuration says about examples; None where it has none."""
    options = getattr(revision.config.settings, "examples", None)
    return options if isinstance(options, ExampleOptions) else None


def draw_run_examples(
    *, project: Project, revision: SystemRevision, judge_options: Mapping[str, Any]
) -> dict[str, list[int]]:
    """The notes of a run with the samples of its examples; {} where the system is shown none.

    Raises BadInput where the project has too few human summaries in the split.
    """
    options = find_example_options(revision)
    if options is None:
        return {}
    answers = tuple(judge_options.get("answers", ())) if traits_of(revision.role).judges else ()
    samples = complete_samples(project, options.split)
    key_of = {
        pk: f"{external_id}#{position}"
        for pk, external_id, position in samples.values_list("pk", "document__external_id", "position")
    }
    references = references_of(project, key_of.keys())
    pk_of = {key_of[pk]: pk for pk in references}
    ordered = [pk_of[name] for name in order_by_seed(pk_of, options.seed)]
    try:
        drawn = _draw_from(ordered, references, options, answers)
    except SystemFault as error:
        raise BadInput(str(error), field="system", code="examples") from error
    return {NOTE: [pk_of[example.id] for example in drawn]}


def _draw_from(
    ordered: Sequence[int], references: Mapping[int, tuple[int, str]], options: ExampleOptions, answers: Sequence[str]
) -> list[WorkedExample]:
    """Draw from as many of the first samples as are needed, so that few texts are read. Raises SystemFault."""
    n_loaded = LOADED_AT_ONCE
    while True:
        pool = [row.example for row in _load_samples(ordered[:n_loaded], references)]
        try:
            return draw_examples(pool, options, answers)
        except SystemFault:
            if n_loaded >= len(ordered):
                raise
            n_loaded *= 4


class RunExample(NamedTuple):
    """An example with the hash and the text of its schema."""

    example: WorkedExample
    schema_hash: str
    schema_text: str


def load_run_examples(run: Run) -> list[RunExample]:
    """The examples of a run, in their order; those whose summary was removed since are absent."""
    pks = run.notes.get(NOTE, [])
    return _load_samples(pks, references_of(run.project, pks)) if pks else []


def _load_samples(pks: Sequence[int], references: Mapping[int, tuple[int, str]]) -> list[RunExample]:
    samples = Sample.objects.select_related("document__source_text", "group", "schema_version").in_bulk(pks)
    return [
        RunExample(_build_example(samples[pk], references[pk][1]), version.content_hash, version.text)
        for pk in pks
        if pk in samples and pk in references
        for version in [samples[pk].schema_version]
    ]


def _build_example(sample: Sample, text: str) -> WorkedExample:
    document = sample.document
    return WorkedExample(
        id=f"{document.external_id}#{sample.position}",
        origin=document.origin_id,
        segments=tuple(document.source_text.segments),
        values=read_request_values(sample.attributes),
        schema=sample.schema_version.schema,
        text=text,
    )
