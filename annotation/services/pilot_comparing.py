"""All candidates' answers to one sample of a pilot, and one candidate's answers to all of them."""

from dataclasses import dataclass

from annotation.models import Annotation, Assignment, AssignmentState, PilotCandidate, PilotSample, Project, Sample
from annotation.services import comparing, pilot_setup
from annotation.services.choices import latest
from annotation.services.comparing import Answer
from annotation.services.pseudonyms import Pseudonyms


@dataclass(frozen=True, slots=True)
class Column:
    """One candidate's answer to one sample. answer: None where there is none yet; state: of the attempt, None where
    there is no attempt; skipped: the reason, where it was skipped."""

    candidate: PilotCandidate
    pseudonym: str
    answer: Answer | None
    state: AssignmentState | None
    skipped: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Compared:
    """One sample with a column for every candidate."""

    row: PilotSample
    sample: Sample
    columns: list[Column]

    @property
    def answers(self) -> list[Answer]:
        return [column.answer for column in self.columns if column.answer is not None]


def compare(row: PilotSample) -> Compared:
    """Every candidate of the pilot who has been given the sample, in order of pseudonym. Six queries."""
    sample = _loaded(row)
    attempts = {one.annotator_id: one for one in Assignment.objects.filter(sample=sample)}
    newest = latest(Annotation.objects.filter(sample=sample, assignment__isnull=False))
    found = sorted(newest, key=lambda one: one.assignment_id or 0)
    checked = {one.annotation.assignment_id: one for one in comparing.answers(sample, found)}
    names = Pseudonyms(sample.project)
    columns = []
    for candidate in PilotCandidate.objects.filter(pilot=row.pilot).select_related("user", "decided_by"):
        attempt = attempts.get(candidate.user_id)
        if attempt is not None:
            columns.append(_column(candidate, str(names.of(candidate.user_id)), attempt, checked))
    return Compared(row, sample, sorted(columns, key=lambda one: one.pseudonym))


def _loaded(row: PilotSample) -> Sample:
    rows = Sample.objects.select_related("project", "group__document__source_text", "schema_version")
    return rows.get(pk=row.sample_id)


def _column(
    candidate: PilotCandidate, pseudonym: str, attempt: Assignment, checked: dict[int | None, Answer]
) -> Column:
    state = AssignmentState(attempt.state)
    skipped = attempt.skip_reason if state == AssignmentState.SKIPPED else ""
    return Column(candidate, pseudonym, checked.get(attempt.pk), state, skipped, attempt.skip_note)


def of_candidate(candidate: PilotCandidate) -> list[tuple[Compared, Column | None]]:
    """Every sample of the candidate's pilot, compared, with the candidate's own column. Six queries per sample."""
    found = []
    for row in pilot_setup.samples_of(candidate.pilot):
        compared = compare(row)
        own = next((column for column in compared.columns if column.candidate.pk == candidate.pk), None)
        found.append((compared, own))
    return found


def checked_sample(project: Project, public_id: object) -> Compared:
    """For the API and the page: a sample of the pilot by the id of its copy. NotFound for any other."""
    return compare(pilot_setup.pilot_sample(project, public_id))
