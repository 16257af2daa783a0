"""Task kind for naming several entities by one phrase: up to two answers, or "these cannot be aggregated"."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.kinds import checks
from annotation.kinds.protocol import CompletedPayload, KindDefaults, PayloadRefused, TaskContext, gettext_noop
from epitome.aggregations.normal import is_conforming, normalize_answer
from epitome.formats.faults import FieldFault
from epitome.formats.line_fields import require_field

MAX_ANSWERS = 2
MAX_ANSWER = 300
FIELDS = frozenset({"answers", "cannot"})


class AggregationKind(KindDefaults):
    key = "aggregation"
    title = gettext_noop("Aggregations")
    purpose = gettext_noop("Name several people, places or organizations of an article by one phrase.")
    presets: tuple[str, ...] = ("tesa",)
    needs_attributes = False
    draws_samples = False
    noun = (gettext_noop("annotation"), gettext_noop("annotations"))
    has_instances = True
    export_task = "aggregation"
    heading = gettext_noop("Name them together")
    inspected_key = "answers"
    inspected_label = gettext_noop("Answer")
    panel_title = gettext_noop("Name them together")
    fields: Mapping[str, Any] = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "answers": {
                "type": "array",
                "maxItems": MAX_ANSWERS,
                "description": "Phrases that name all entities; empty ones are dropped when the task is submitted.",
                "items": {"type": "string", "maxLength": MAX_ANSWER},
            },
            "cannot": {"type": "boolean", "description": "These entities cannot be aggregated."},
        },
    }

    def draft(self, payload: Any) -> dict[str, Any]:
        sent_fields = checks.check_fields(payload, FIELDS)
        cleaned: dict[str, Any] = {}
        if "answers" in sent_fields:
            texts = checks.check_list(sent_fields["answers"], "answers", MAX_ANSWERS)
            cleaned["answers"] = [
                checks.normalize_text(text, f"answers[{index}]", MAX_ANSWER) for index, text in enumerate(texts)
            ]
        if "cannot" in sent_fields:
            cleaned["cannot"] = checks.check_boolean(sent_fields["cannot"], "cannot")
        return cleaned

    def complete(self, payload: Any, about: TaskContext) -> CompletedPayload:
        draft = self.draft(payload)
        answers = [text for text in draft.get("answers", []) if not checks.is_blank(text)]
        cannot = draft.get("cannot", False)
        if not answers and not cannot:
            raise PayloadRefused("answers", "is empty: write one phrase, or tick that these cannot be aggregated")
        return CompletedPayload({"answers": answers, "cannot": cannot})

    def text_of(self, payload: Mapping[str, Any]) -> str:
        return "\n".join(text for text in payload.get("answers") or [] if text)

    def parts_of(self, payload: Mapping[str, Any]) -> list[tuple[str, str]]:
        answers = [*(payload.get("answers") or []), "", ""]
        cannot = gettext_noop("Cannot be aggregated.") if payload.get("cannot") else ""
        return [("answer", answers[0]), ("second_answer", answers[1]), ("cannot", cannot)]

    def blank(self) -> dict[str, Any]:
        return {"answers": [], "cannot": False}

    def export(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        answers = list(payload.get("answers") or [])
        normalized = [normalize_answer(text) for text in answers]
        return {
            "text": self.text_of(payload),
            "answers": answers,
            "normalized": normalized,
            "conforming": [is_conforming(text) for text in normalized],
            "cannot": bool(payload.get("cannot")),
        }

    def check_line(self, line: Mapping[str, Any], segments: Sequence[Mapping[str, Any]] | None) -> None:
        text = require_field(line, "text", str)
        answers = require_field(line, "answers", list)
        require_field(line, "cannot", bool)
        if len(answers) > MAX_ANSWERS:
            raise FieldFault(("answers",), f"has more than {MAX_ANSWERS} entries", answers, "length")
        for index, answer in enumerate(answers):
            if not isinstance(answer, str) or len(answer) > MAX_ANSWER:
                raise FieldFault(("answers", index), f"must be a text of at most {MAX_ANSWER} characters", answer)
        if text != self.text_of(line):
            raise FieldFault(("text",), "must be the answers, one a line", text)

    def restore(self, line: Mapping[str, Any]) -> dict[str, Any]:
        return {"answers": list(line["answers"]), "cannot": line["cannot"]}
