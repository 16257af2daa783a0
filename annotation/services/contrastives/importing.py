"""Imports contrastive examples that were made elsewhere: the whole file is checked first, then stored, or nothing."""

import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import IO, Any

from django.contrib.auth.models import AbstractBaseUser
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.jobs import JobRefused, NoProgress, Progress, keep_result, register_handler
from annotation.models import Annotation, AuditVerb, Contrastive, ContrastiveSet, Job, Project
from annotation.services.contrastives.golds import Gold, check_project, list_golds
from annotation.services.contrastives.making import hash_text
from annotation.services.contrastives.sets import check_replaceable, find_current_set, open_set
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict, ServiceError
from annotation.services.core.job_start import start_job
from annotation.services.sources.importing import local_copy, store_file
from annotation.transactions import write_transaction
from epitome.contrastives import Edit, EditFault, apply_edits, check_edits, derive_edits
from epitome.contrastives.lines import ContrastiveLine, read_contrastive_lines
from epitome.formats.faults import Fault, FieldFault
from epitome.formats.reading import InputFile, UnreadableFile, empty_file_fault, input_file

JOB_KIND = "contrastives-import"
GENERATOR = "import"
MAX_FAULTS = 100
ROWS = 1000


class ContrastivesRefused(BadInput):
    """The file has faults; `faults` lists the first hundred, each with its line."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__(str(faults[0]), field="file", code="faults", faults=[asdict(fault) for fault in faults])
        self.faults = faults


@dataclass
class _CheckedFile:
    """What was read: where the golds are found, and counts. text_keys: per gold, of the texts so far."""

    by_key: dict[str, Gold]
    by_sample: dict[str, list[Gold]] = field(default_factory=dict)
    by_source: dict[str, list[Gold]] = field(default_factory=dict)
    text_keys: dict[int, dict[str, int]] = field(default_factory=dict)
    rules: Counter[str] = field(default_factory=Counter)
    derived: int = 0

    @classmethod
    def of(cls, project: Project) -> "_CheckedFile":
        golds = list(list_golds(project))
        checked = cls({gold.key: gold for gold in golds})
        for gold in golds:
            checked.by_sample.setdefault(gold.sample_key, []).append(gold)
            checked.by_source.setdefault(gold.sample_key.rpartition("#")[0], []).append(gold)
        return checked

    def check_line(self, line: ContrastiveLine) -> tuple[Gold, tuple[Edit, ...]]:
        """The gold and the edits of a line. Raises FieldFault."""
        gold = self._find_gold(line)
        edits = _find_edits(line, gold)
        key = hash_text(apply_edits(gold.text, edits))
        seen = self.text_keys.setdefault(gold.annotation_id, {})
        if key in seen:
            raise FieldFault(("text",), f"is the same text as line {seen[key]}", line.text, "doubled")
        seen[key] = line.spot.line
        self.rules[line.rule] += 1
        self.derived += line.edits is None
        return gold, edits

    def _find_gold(self, line: ContrastiveLine) -> Gold:
        if line.tuple_key:
            if line.tuple_key not in self.by_key:
                raise FieldFault(("tuple",), "names no gold summary of this project", line.tuple_key, "unknown")
            return self.by_key[line.tuple_key]
        name = "sample_id" if line.sample_id else "source_id"
        value = line.sample_id or line.source_id
        golds = (self.by_sample if line.sample_id else self.by_source).get(value, [])
        if not golds:
            raise FieldFault((name,), "has no gold summary in this project", value, "unknown")
        if line.gold:
            low = line.gold.lower()
            golds = [gold for gold in golds if gold.text.lower() == low]
            if not golds:
                raise FieldFault(("gold",), "is no gold summary there", line.gold, "unknown")
        if len(golds) > 1:
            raise FieldFault((name,), f"has {len(golds)} gold summaries: give tuple, or gold", value, "several")
        return golds[0]

    @property
    def examples(self) -> int:
        return self.rules.total()


def _find_edits(line: ContrastiveLine, gold: Gold) -> tuple[Edit, ...]:
    """The edits given, which must give the text, or those derived from it. Upper and lower case do not count."""
    try:
        if line.edits is None:
            return derive_edits(gold.text, line.text)
        check_edits(gold.text, line.edits)
    except EditFault as error:
        name = "text" if line.edits is None else "edits"
        raise FieldFault((name,), str(error), "", "edits") from error
    if apply_edits(gold.text, line.edits).lower() != line.text.lower():
        raise FieldFault(("text",), "is not the gold summary with these edits", line.text, "edits")
    return line.edits


def import_contrastives(
    *,
    project: Project,
    file: InputFile,
    replace: bool = False,
    dry_run: bool = False,
    by: AbstractBaseUser | None = None,
    job: Job | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Store the examples of a JSONL file as the project's set; returns counts. Raises ContrastivesRefused listing the
    faults, Conflict where the project has other examples that are not to be replaced."""
    progress = progress or NoProgress()
    check_project(project)
    check_replaceable(project, replace=replace)
    with tempfile.TemporaryFile("w+", encoding="utf-8") as staged:
        checked = _check_file(project, file, staged, progress)
        counts = {
            "golds": len(checked.text_keys),
            "examples": checked.examples,
            "derived": checked.derived,
            "rules": dict(checked.rules),
        }
        if not dry_run:
            with write_transaction():
                _store_examples(project, file, staged, checked, replace=replace, by=by, job=job)
                keep_result(job, counts)
    return counts


def _check_file(project: Project, file: InputFile, staged: IO[str], progress: Progress) -> _CheckedFile:
    """Read every line into the staged file. Raises ContrastivesRefused."""
    checked = _CheckedFile.of(project)
    faults: list[Fault] = []

    def report(n_read: int, total: int) -> None:
        progress.set(100 * n_read // max(total, 1), 100, _("checking"))

    try:
        for line in read_contrastive_lines(InputFile(file.path, file.name, report)):
            if len(faults) >= MAX_FAULTS:
                break
            if isinstance(line, Fault):
                faults.append(line)
                continue
            try:
                gold, edits = checked.check_line(line)
            except FieldFault as error:
                faults.append(line.spot.fault(error))
                continue
            if not faults:
                staged.write(_stage_row(line, gold, edits))
    except UnreadableFile as error:
        faults.append(error.fault)
    if not faults and not checked.examples:
        faults.append(empty_file_fault(file))
    if faults:
        raise ContrastivesRefused(faults)
    return checked


def _stage_row(line: ContrastiveLine, gold: Gold, edits: tuple[Edit, ...]) -> str:
    """One row of the database. The text is the gold with the edits: as the gold has upper and lower case."""
    row = {
        "sample_id": gold.sample_id,
        "annotation_id": gold.annotation_id,
        "rule": line.rule,
        "text": apply_edits(gold.text, edits),
        "edits": [edit.as_dict() for edit in edits],
        "from_source": line.from_source,
        "state": line.state,
    }
    return json.dumps(row, ensure_ascii=False) + "\n"


def _store_examples(
    project: Project,
    file: InputFile,
    staged: IO[str],
    checked: _CheckedFile,
    *,
    replace: bool,
    by: AbstractBaseUser | None,
    job: Job | None,
) -> None:
    """Store all, inside a transaction. Raises Conflict where a gold was withdrawn since the file was checked."""
    per_gold = Counter(len(texts) for texts in checked.text_keys.values())
    contrastive_set = open_set(
        project=project,
        replace=replace,
        by=by,
        origin=ContrastiveSet.Origin.IMPORT,
        options={},
        generator=GENERATOR,
        file_name=file.name[:255],
        golds=len(checked.text_keys),
        examples=checked.examples,
        counts={
            "rules": {rule: {"drawn": number} for rule, number in checked.rules.items()},
            "per_gold": {str(number): per_gold[number] for number in sorted(per_gold)},
        },
        job=job,
        finished_at=timezone.now(),
    )
    _lock_golds(project, checked)
    staged.seek(0)
    for batch in _read_batches(staged):
        Contrastive.objects.bulk_create(
            [Contrastive(project=project, generator=GENERATOR, text_key=hash_text(row["text"]), **row) for row in batch]
        )
    audit.record_event(
        project=project,
        actor=by,
        verb=AuditVerb.CONTRASTIVES_IMPORT,
        target=f"contrastive_set:{contrastive_set.public_id}",
        golds=contrastive_set.golds,
        examples=contrastive_set.examples,
    )


def _lock_golds(project: Project, checked: _CheckedFile) -> None:
    golds = Annotation.objects.filter(project=project).select_for_update(of=("self",), no_key=True)
    list(golds.order_by("pk").values_list("pk"))
    standing = {gold.annotation_id for gold in list_golds(project)}
    if not standing >= checked.text_keys.keys():
        raise Conflict(_("A gold summary was changed or withdrawn meanwhile. Import the file again."))


def _read_batches(staged: IO[str]) -> Iterator[list[dict[str, Any]]]:
    while batch := [json.loads(line) for line in islice(staged, ROWS)]:
        yield batch


def start_contrastives_import(
    *, project: Project, upload: File, replace: bool = False, by: AbstractBaseUser | None
) -> Job:
    """Store an uploaded file and queue its import. Raises BadInput, Conflict."""
    check_project(project)
    check_replaceable(project, replace=replace)
    file = store_file(upload)
    arguments = {"file": file.name, "file_name": file.file_name, "replace": replace}
    try:
        return start_job(kind=JOB_KIND, project=project, by=by, arguments=arguments)
    except Conflict:
        default_storage.delete(file.name)
        raise


def _delete_upload(job: Job, _by: AbstractBaseUser | None) -> None:
    transaction.on_commit(lambda: default_storage.delete(job.arguments["file"]))


@register_handler(
    JOB_KIND,
    gettext_lazy("Import contrastive examples"),
    page="contrastives",
    kept=gettext_lazy("Nothing is imported."),
    cancelled=_delete_upload,
)
def run_import(job: Job, progress: Progress) -> dict[str, Any]:
    """Import the uploaded file; a second run after a crash finds what the first one stored."""
    if job.project is None:
        raise JobRefused(_("The project was deleted."))
    name = job.arguments["file"]
    current = find_current_set(job.project)
    if current is not None and current.job_id == job.pk:
        default_storage.delete(name)
        progress.set(100, 100)
        return job.result or {"golds": current.golds, "examples": current.examples}
    try:
        with local_copy(name) as path:
            counts = import_contrastives(
                project=job.project,
                file=input_file(path, job.arguments["file_name"]),
                replace=bool(job.arguments.get("replace")),
                by=job.requested_by,
                job=job,
                progress=progress,
            )
    except ContrastivesRefused as refused:
        default_storage.delete(name)
        raise JobRefused(refused.message, faults=[asdict(fault) for fault in refused.faults]) from refused
    except ServiceError as refused:
        default_storage.delete(name)
        raise JobRefused(refused.message) from refused
    default_storage.delete(name)
    return counts
