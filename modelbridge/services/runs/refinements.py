"""The drafts of a run that refines, as plain samples, and the tables about them."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.services.core.kept_results import keep_copies
from epitome.figures.tables import Table
from epitome.metrics.refinements import RefinedSample, read_refined_sample
from epitome.reports.refinement import RefinementReport, Wording, build_refinement_report, summary_table
from epitome.schema import Schema
from modelbridge.models import OutputState, Run
from modelbridge.services.runs.run_labels import label_revision, label_run

MAX_OUTPUTS = 5_000
"""The first outputs, this many, of a run are read for its page."""


@dataclass(frozen=True)
class RunRefinement:
    """report: of the outputs read; n_read: how many these are."""

    report: RefinementReport
    n_read: int


def refines(run: Run) -> bool:
    """Whether the outputs of a run come with their drafts; those of an upload are not read."""
    return run.revision.declared_kind.wraps_system


def load_refined_samples(run: Run) -> list[RefinedSample]:
    """The samples of a run with an output, in list order, drawn by source in intervals."""
    rows = run.outputs.filter(state=OutputState.DONE).order_by("position")
    fields = rows.values_list("sample__document_id", "told", "steps", "decoding", "usage")
    samples = []
    for source, values, steps, decoding, usage in fields[:MAX_OUTPUTS].iterator(chunk_size=200):
        line = {"steps": steps, "decoding": decoding, "usage": usage}
        if sample := read_refined_sample(line, source, values):
            samples.append(sample)
    return samples


def report_refinement(run: Run, schema: Schema, currency: str) -> RunRefinement | None:
    """The tables of a run that has ended, in the reader's language; None where no output was refined. Kept while the
    run has as many outputs."""
    n_done = run.outputs.filter(state=OutputState.DONE).count()
    name = ("refinement", run.pk, get_language() or "", currency)
    return keep_copies(run.project, name, (run.finished_at, n_done), lambda: _build(run, schema, currency))


def _build(run: Run, schema: Schema, currency: str) -> RunRefinement | None:
    samples = load_refined_samples(run)
    if not samples:
        return None
    wording = word_schema(schema, samples, currency)
    return RunRefinement(build_refinement_report(label_revision(run.revision), samples, wording), len(samples))


def compare_refinements(runs: Sequence[Run], schema: Schema) -> Table | None:
    """What refining took in each of these runs; None where none of them refines and has an output."""
    samples_by_name = {}
    for run in runs:
        if refines(run) and (samples := load_refined_samples(run)):
            samples_by_name[label_run(run)] = samples
    every = [sample for samples in samples_by_name.values() for sample in samples]
    return summary_table(samples_by_name, word_schema(schema, every)) if every else None


def word_schema(schema: Schema, samples: list[RefinedSample], currency: str = "") -> Wording:
    """Attributes and values in the schema's words; those that it no longer has as they are stored."""
    measured = {key for sample in samples for step in sample.steps for key in step.measured}
    known = [attribute.key for attribute in schema.attributes if attribute.key in measured]
    labels = {key: schema.attribute(key).label for key in known} | {key: key for key in sorted(measured - set(known))}

    def name_combination(sample: RefinedSample) -> str:
        words = [
            attribute.value_label(sample.values[attribute.key])
            for attribute in schema.attributes
            if attribute.key in sample.values
        ]
        return " · ".join(words) or _("no values")

    return Wording(labels, name_combination, currency, translate=_)
