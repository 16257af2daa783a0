"""A kind of task unlike a summary: one or two phrases, or "none fits"; nothing is marked, nothing has a title."""

from annotation.kinds import CompletedPayload, KindDefaults, PayloadRefused, checks
from epitome.formats.line_fields import require_field


class PhrasesKind(KindDefaults):
    key = "phrases"
    title = "Phrases"
    purpose = "Give one or two phrases."
    presets = ("macsum-doc",)
    needs_attributes = False
    export_task = "short-phrases"
    text_field = "phrase"
    template = "annotation/phrases.html"
    fields = {"type": "object", "properties": {"phrase": {"type": "string"}, "second": {"type": "string"}}}

    def draft(self, payload):
        result = checks.check_fields(payload, frozenset({"phrase", "second"}))
        return {key: checks.normalize_text(value, key, 100) for key, value in result.items()}

    def complete(self, payload, about):
        draft = self.draft(payload)
        if not draft.get("phrase", "").strip():
            raise PayloadRefused("phrase", "is empty: give one")
        return CompletedPayload({"phrase": draft["phrase"], "second": draft.get("second", "")})

    def parts_of(self, payload):
        return [(name, payload.get(name, "")) for name in ("phrase", "second")]

    def blank(self):
        return {"phrase": "", "second": ""}

    def export(self, payload):
        return {"text": payload.get("phrase", ""), "second": payload.get("second", "")}

    def check_line(self, line, segments):
        for name in ("text", "second"):
            require_field(line, name, str)

    def restore(self, line):
        return {"phrase": line["text"], "second": line["second"]}
