"""Builds lines of the JSONL export from rows: every field of the dataset, named as in the format."""

from typing import Any

from annotation.kinds import get_task_kind
from annotation.models import Annotation, Project
from annotation.services.core.pseudonyms import Pseudonyms
from annotation.services.core.sample_subjects import find_subject
from annotation.services.exports.dataset_rows import GroupRow, SampleRow, SkipRow, SummaryRow
from annotation.services.tasks import authorship
from epitome.formats.answers import hide_author_name
from epitome.formats.encoded_json import parse_stored_json
from epitome.formats.epitome1 import FORMAT

FROM_SOURCE = ("project", "split", "licence")
"""Fields that a line repeats from its source and project; not stored with a restored line."""


class LineMaker:
    """Builds lines of one project. schemas, guidelines: row id -> version number. authorship: include the shares
    of the authorship record, if the writer consented."""

    def __init__(
        self,
        project: Project,
        schemas: dict[int, int],
        guidelines: dict[int, int],
        pseudonyms: Pseudonyms,
        authorship: bool = False,
    ) -> None:
        self.project, self.schemas, self.guidelines, self.pseudonyms = project, schemas, guidelines, pseudonyms
        self.authorship = authorship
        self.kind = get_task_kind(project.kind, has_sample=True)
        self.subject = find_subject(project.kind)

    def group(self, row: GroupRow) -> tuple[dict[str, Any], dict[str, Any]]:
        """(the group's fields of a line, the chosen values). `chosen_at` is set only if a person chose."""
        group_fields = {
            "index": row.position,
            "asked": parse_stored_json(row.asks),
            "chosen_at": row.frozen_at.isoformat() if row.frozen_at and row.chosen_by_id else None,
            "chosen_by": self.pseudonyms.of(row.chosen_by_id),
            "decisions": parse_stored_json(row.decisions),
        }
        return group_fields, parse_stored_json(row.chosen)

    def sample(
        self, group: dict[str, Any], chosen: dict[str, Any], row: SampleRow, subject: dict[str, Any]
    ) -> dict[str, Any]:
        """The fields that all lines of one sample have in common. subject: what it is about, as fields of a line."""
        return {
            **subject,
            "format": FORMAT,
            "task": self.kind.export_task,
            "sample_id": f"#{row.position}",
            "schema": {"preset": self.project.preset, "version": self.schemas[row.schema_version_id]},
            "attributes": {**parse_stored_json(row.values), **chosen},
            "group": group,
            "sampler": {"algorithm": row.sampler, "seed": row.seed, "combination": row.combination},
            "raw": hide_author_name(row.raw_json),
        }

    def annotation(self, sample: dict[str, Any], summary: SummaryRow, metrics: Any) -> dict[str, Any]:
        """The line of a summary; a restored one keeps all its fields, including verdicts and scores.
        metrics: an object, or an object as JSON text; those of the row, unless they may not be exported."""
        row, attempt = summary.annotation, summary.attempt
        if row.assignment_id is None and row.raw_json and row.origin != Annotation.Origin.PERSON:
            line: dict[str, Any] = parse_stored_json(row.raw_json)
            if line.get("format") == FORMAT:
                return self._with_authorship(line, line.pop("authorship", None))
        payload_fields = self.kind.export(parse_stored_json(row.payload))
        if "relevant_segments" in payload_fields:
            payload_fields["relevant_segments"] = to_ranges(payload_fields["relevant_segments"])
        annotation_line = {
            **sample,
            **payload_fields,
            "annotator": self.pseudonyms.of(attempt.annotator_id),
            "origin": "person" if row.assignment_id is not None else "import",
            "state": attempt.state or "imported",
            "revision": row.revision,
            "skipped": False,
            "skip_reason": None,
            "skip_note": None,
            "guideline": self.guidelines.get(row.guideline_version_id or 0),
            "times": parse_stored_json(row.timings),
            "assistance": row.assistance,
            "band_shown": parse_stored_json(row.band_shown),
            "inspection": summary.inspections,
            "metrics": metrics,
        }
        if row.assistance == Project.Assistance.SUGGESTED:
            annotation_line["suggestion"] = parse_stored_json(row.suggestion) or None
        if attempt.extra:
            annotation_line["extra"] = True
        return (
            {**annotation_line, "authorship": authorship.build_export_fields(parse_stored_json(row.authorship))}
            if self.authorship
            else annotation_line
        )

    def _with_authorship(self, line: dict[str, Any], record: Any) -> dict[str, Any]:
        return {**line, "authorship": record} if self.authorship else line

    def skip(self, sample: dict[str, Any], row: SkipRow) -> dict[str, Any]:
        """The line of a skipped request with its reason, so that skipped combinations can be counted."""
        line = {
            **sample,
            **dict.fromkeys(self.kind.export({})),
            "annotator": self.pseudonyms.of(row.annotator_id),
            "origin": "person",
            "state": "skipped",
            "revision": 0,
            "skipped": True,
            "skip_reason": row.skip_reason,
            "skip_note": row.skip_note,
            "guideline": self.guidelines.get(row.guideline_version_id or 0),
            "times": {
                "claimed_at": row.claimed_at.isoformat(),
                "skipped_at": row.finished_at.isoformat() if row.finished_at else None,
            },
            "assistance": row.assistance,
            "band_shown": {},
            "inspection": [],
            "metrics": {},
        }
        return self._with_authorship(line, None)

    def placed(self, line: dict[str, Any], source: dict[str, Any]) -> dict[str, Any]:
        """Add the fields of the source to a line; quotes are removed if the source's text may not be released."""
        line["source_id"] = source["source_id"]
        line["sample_id"] = source["source_id"] + line["sample_id"][line["sample_id"].rindex("#") :]
        for name in FROM_SOURCE:
            line[name] = source[name]
        if source["segments"] is None:
            for name in ("spans", "proposals"):
                if line.get(name):
                    line[name] = [{key: span[key] for key in span if key != "quote"} for span in line[name]]
        if self.subject is not None:
            self.subject.place(line, source)
        return line


def to_ranges(segments: list[Any]) -> list[list[Any]]:
    """Segments as inclusive pairs, so that every line has the same type; `raw` keeps an import's own shapes."""
    return [list(entry) if isinstance(entry, list) else [entry, entry] for entry in segments]
