"""Builds lines of the JSONL export from rows: every field of the dataset, named as in the format."""

from typing import Any

from annotation.formats.epitome1 import FORMAT
from annotation.formats.quickjson import parse_stored_json
from annotation.kinds import get_task_kind
from annotation.models import Annotation, Project
from annotation.services.core.pseudonyms import Pseudonyms
from annotation.services.tasks import authorship

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

    def group(
        self,
        position: int,
        asks: str,
        chosen: str,
        frozen_at: Any,
        chosen_by: int | None,
        decisions: str,
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """(the group's fields of a line, the chosen values). `chosen_at` is set only if a person chose.

        Here and below: asks, chosen, values, decisions, payload, band and timings are JSON text.
        """
        group_fields = {
            "index": position,
            "asked": parse_stored_json(asks),
            "chosen_at": frozen_at.isoformat() if frozen_at and chosen_by else None,
            "chosen_by": self.pseudonyms.of(chosen_by),
            "decisions": parse_stored_json(decisions),
        }
        return group_fields, parse_stored_json(chosen)

    def sample(
        self,
        group: dict[str, Any],
        chosen: dict[str, Any],
        position: int,
        values: str,
        sampler: str,
        seed: int | None,
        combination: str,
        raw: str,
        schema_version: int,
    ) -> dict[str, Any]:
        """The fields that all lines of one sample have in common."""
        return {
            "format": FORMAT,
            "task": self.project.kind,
            "sample_id": f"#{position}",
            "schema": {"preset": self.project.preset, "version": self.schemas[schema_version]},
            "attributes": {**parse_stored_json(values), **chosen},
            "group": group,
            "sampler": {"algorithm": sampler, "seed": seed, "combination": combination},
            "raw": raw,
        }

    def annotation(
        self, sample: dict[str, Any], row: tuple[Any, ...], metrics: Any, inspection: list[dict[str, Any]]
    ) -> dict[str, Any]:
        """The line of a summary; a restored one keeps all its fields, including verdicts and scores.
        metrics: an object, or an object as JSON text."""
        (
            _pk,
            _sample,
            assignment,
            origin,
            revision,
            payload,
            raw,
            guideline,
            assistance,
            band,
            timings,
            record,
            state,
            by,
        ) = row
        if assignment is None and raw and origin != Annotation.Origin.PERSON:
            line: dict[str, Any] = parse_stored_json(raw)
            if line.get("format") == FORMAT:
                return self._with_authorship(line, line.pop("authorship", None))
        payload_fields = self.kind.export(parse_stored_json(payload))
        if "relevant_segments" in payload_fields:
            payload_fields["relevant_segments"] = to_ranges(payload_fields["relevant_segments"])
        annotation_line = {
            **sample,
            **payload_fields,
            "annotator": self.pseudonyms.of(by),
            "origin": "person" if assignment is not None else "import",
            "state": state or "imported",
            "revision": revision,
            "skipped": False,
            "skip_reason": None,
            "skip_note": None,
            "guideline": self.guidelines.get(guideline),
            "times": parse_stored_json(timings),
            "assistance": assistance,
            "band_shown": parse_stored_json(band),
            "inspection": inspection,
            "metrics": metrics,
        }
        return (
            {**annotation_line, "authorship": authorship.build_export_fields(parse_stored_json(record))}
            if self.authorship
            else annotation_line
        )

    def _with_authorship(self, line: dict[str, Any], record: Any) -> dict[str, Any]:
        return {**line, "authorship": record} if self.authorship else line

    def skip(self, sample: dict[str, Any], row: tuple[Any, ...]) -> dict[str, Any]:
        """The line of a skipped request with its reason, so that skipped combinations can be counted."""
        _pk, _sample, annotator, guideline, assistance, claimed_at, finished_at, reason, note = row
        line = {
            **sample,
            **dict.fromkeys(self.kind.export({})),
            "annotator": self.pseudonyms.of(annotator),
            "origin": "person",
            "state": "skipped",
            "revision": 0,
            "skipped": True,
            "skip_reason": reason,
            "skip_note": note,
            "guideline": self.guidelines.get(guideline),
            "times": {
                "claimed_at": claimed_at.isoformat(),
                "skipped_at": finished_at.isoformat() if finished_at else None,
            },
            "assistance": assistance,
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
        return line


def to_ranges(segments: list[Any]) -> list[list[Any]]:
    """Segments as inclusive pairs, so that every line has the same type; `raw` keeps an import's own shapes."""
    return [list(entry) if isinstance(entry, list) else [entry, entry] for entry in segments]
