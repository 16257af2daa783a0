"""All candidates' answers to one sample of a pilot, and one candidate's answers to all of them."""

from dataclasses import dataclass

from annotation.models import Annotation, Assignment, AssignmentState, PilotCandidate, PilotSample, Project, Sample
from annotation.services.core.pseudonyms import Pseudonyms
from annotation.services.overlap import checks as overlap_checks
from annotation.services.overlap.checks import Answer
from annotation.services.pilot import setup as pilot_setup


@dataclass(frozen=True, slots=True)
class Column:
    """One candidate's answer to one sample. answer: None if there is none yet; state: of the attempt, None without an
    attempt; skipped: the reason, if it was skipped."""

    candidate: PilotCandidate
    pseudonym: str
    answer: Answer | None
    state: AssignmentState | None
    skipped: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class PilotComparison:
    """One sample with a column for every candidate."""

    row: PilotSample
    sample: Sample
    columns: list[Column]

    @property
    def answers(self) -> list[Answer]:
        return [column.answer for column in self.columns if column.answer is not None]


def compare_answers(row: PilotSample) -> PilotComparison:
    """The answers of all candidates who were assigned the sample, by pseudonym. Six queries."""
    sample = _load_sample(row)
    attempts = {task.annotator_id: task for task in Assignment.objects.filter(sample=sample)}
    newest = Annotation.objects.filter(sample=sample, assignment__isnull=False).latest_revisions()
    annotations = sorted(newest, key=lambda annotation: annotation.assignment_id or 0)
    answers_by_attempt = {
        answer.annotation.assignment_id: answer for answer in overlap_checks.build_answers(sample, annotations)
    }
    names = Pseudonyms(sample.project)
    columns = []
    for candidate in PilotCandidate.objects.filter(pilot=row.pilot).select_related("user", "decided_by"):
        attempt = attempts.get(candidate.user_id)
        if attempt is not None:
            columns.append(_build_column(candidate, str(names.of(candidate.user_id)), attempt, answers_by_attempt))
    return PilotComparison(row, sample, sorted(columns, key=lambda column: column.pseudonym))


def _load_sample(row: PilotSample) -> Sample:
    rows = Sample.objects.select_related("project", "group__document__source_text", "schema_version")
    return rows.get(pk=row.sample_id)


def _build_column(
    candidate: PilotCandidate, pseudonym: str, attempt: Assignment, answers_by_attempt: dict[int | None, Answer]
) -> Column:
    state = AssignmentState(attempt.state)
    skipped = attempt.skip_reason if state == AssignmentState.SKIPPED else ""
    return Column(candidate, pseudonym, answers_by_attempt.get(attempt.pk), state, skipped, attempt.skip_note)


def compare_candidate(candidate: PilotCandidate) -> list[tuple[PilotComparison, Column | None]]:
    """Every sample of the candidate's pilot, compared, with the candidate's own column. Six queries per sample."""
    comparisons = []
    for row in pilot_setup.pilot_samples(candidate.pilot):
        compared = compare_answers(row)
        own_column = next((column for column in compared.columns if column.candidate.pk == candidate.pk), None)
        comparisons.append((compared, own_column))
    return comparisons


def find_comparison(project: Project, public_id: object) -> PilotComparison:
    """The comparison of a pilot sample by the public id of its copy, for page and API. NotFound for any other."""
    return compare_answers(pilot_setup.get_pilot_sample(project, public_id))
