"""Personal data in the rows of a publication: finding the places, and applying what staff decided about them."""

import hashlib
import hmac
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from annotation.models import HitDecision, HitField, Publication
from annotation.services.exports.dataset_reader import Unit
from epitome.publication.personal_data import MASK, Match, find_contacts, find_names, is_personal, mask_text

COMMON_FIELDS = frozenset(
    (
        *("format", "task", "project", "sample_id", "source_id", "split", "licence", "schema", "attributes", "group"),
        *("sampler", "raw", "title", "text", "annotator", "origin", "state", "revision", "skipped", "skip_reason"),
        *("skip_note", "guideline", "times", "assistance", "band_shown", "inspection", "metrics", "authorship"),
        *("suggestion", "extra", "relevant_segments", "spans", "proposals"),
    )
)
"""Fields of a line that are columns of their own or are not published; the others are `fields`, as JSON text."""


FURTHER, REQUEST = 0, 1
"""The `segment` of a hit in HitField.FIELDS: the further fields of a line, or the values of its attributes."""


class HitKey(NamedTuple):
    """Where a hit is; the columns of PublicationHit that are unique in a publication."""

    document_id: int
    sample_key: str
    field: str
    segment: int
    start: int
    end: int
    fingerprint: str


class FoundHit(NamedTuple):
    key: HitKey
    kind: str


def sample_key_of(line: Mapping[str, Any]) -> str:
    """`#` and the position of a line's sample."""
    sample_id: str = line["sample_id"]
    return sample_id[sample_id.rindex("#") :]


def further_fields(line: Mapping[str, Any]) -> str:
    """The fields of a line that only its kind of task has, as JSON text; "" for none."""
    fields = {name: line[name] for name in sorted(line) if name not in COMMON_FIELDS}
    return json.dumps(fields, ensure_ascii=False, sort_keys=True) if fields else ""


def request_text(attributes: Mapping[str, Any]) -> str:
    """The values of the attributes of a line as JSON text: an import may take them from any column of a file."""
    return json.dumps(attributes, ensure_ascii=False, sort_keys=True) if attributes else ""


def fingerprint_of(salt: str, text: str) -> str:
    return hmac.new(salt.encode(), text.encode(), hashlib.sha256).hexdigest()[:32]


class HitFinder:
    """Finds the places of one project. Keyed hashes, so that nobody can look a phone number up by its hash."""

    def __init__(self, salt: str) -> None:
        self.salt = salt

    def find(self, unit: Unit) -> Iterator[FoundHit]:
        """All places of a source and its lines, each once."""
        yield from self._find_in_source(unit)
        for line in unit.lines:
            yield from self._find_in_line(unit.document_id, line)

    def _find_in_source(self, unit: Unit) -> Iterator[FoundHit]:
        pk, segments = unit.document_id, unit.source["segments"] or []
        first_places: dict[str, int] = {}
        for number, segment in enumerate(segments):
            first_places.setdefault(segment.get("speaker") or "", number)
        names = [speaker for speaker in first_places if is_personal(speaker)]
        title = unit.source["title"]
        yield from self._keyed(pk, "", HitField.TITLE, 0, title, _find_in_title(title, names))
        for speaker, number in first_places.items():
            yield from self._keyed(pk, "", HitField.SPEAKER, number, speaker, find_contacts(speaker))
        for number, segment in enumerate(segments):
            yield from self._keyed(pk, "", HitField.SEGMENT, number, segment["text"], find_contacts(segment["text"]))

    def _find_in_line(self, pk: int, line: Mapping[str, Any]) -> Iterator[FoundHit]:
        key, title, text = sample_key_of(line), line.get("title") or "", line.get("text") or ""
        yield from self._keyed(pk, key, HitField.TITLE, 0, title, _find_in_title(title, ()))
        yield from self._keyed(pk, key, HitField.TEXT, 0, text, find_contacts(text))
        fields = further_fields(line)
        yield from self._keyed(pk, key, HitField.FIELDS, FURTHER, fields, find_contacts(fields))
        request = request_text(line.get("attributes") or {})
        yield from self._keyed(pk, key, HitField.FIELDS, REQUEST, request, find_contacts(request))

    def _keyed(
        self, pk: int, sample_key: str, field: str, segment: int, text: str, matches: list[Match]
    ) -> Iterator[FoundHit]:
        for match in matches:
            fingerprint = fingerprint_of(self.salt, text[match.start : match.end])
            key = HitKey(pk, sample_key, str(field), segment, match.start, match.end, fingerprint)
            yield FoundHit(key, match.kind)


def _find_in_title(title: str, names: Any) -> list[Match]:
    """Addresses and numbers before names where both would take the same characters."""
    contacts = find_contacts(title)
    apart = [
        match
        for match in find_names(title, names)
        if all(match.end <= other.start or other.end <= match.start for other in contacts)
    ]
    return sorted([*contacts, *apart], key=lambda match: match.start)


class HitDecisions:
    """What staff decided, by place. `counts`: kind -> decision -> number applied. `missing`: places without one."""

    def __init__(self, publication: Publication) -> None:
        self.finder = HitFinder(publication.project.export_salt)
        columns = ("document_id", "sample_key", "field", "segment", "start", "end", "fingerprint", "decision")
        rows = publication.hits.exclude(decision=HitDecision.OPEN).values_list(*columns)
        self.decisions = {HitKey(*row[:-1]): row[-1] for row in rows.iterator()}
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)
        self.missing = 0
        self.n_lines_left_out = 0

    def apply(self, unit: Unit) -> bool:
        """Mask and leave out in place; False: the source is left out with all its lines."""
        chosen: dict[tuple[str, str, int], list[tuple[int, int]]] = defaultdict(list)
        dropped: set[str] = set()
        for key, kind in self.finder.find(unit):
            decision = self.decisions.get(key, "")
            if not decision:
                self.missing += 1
                continue
            self.counts[kind][decision] += 1
            if decision == HitDecision.LEAVE_OUT:
                dropped.add(key.sample_key)
            elif decision == HitDecision.MASK:
                chosen[key.sample_key, key.field, key.segment].append((key.start, key.end))
        if "" in dropped:
            return False
        if dropped:
            staying = [line for line in unit.lines if sample_key_of(line) not in dropped]
            self.n_lines_left_out += len(unit.lines) - len(staying)
            unit.lines = staying
        if chosen:
            _mask_unit(unit, chosen)
        return True


Places = Mapping[tuple[str, str, int], list[tuple[int, int]]]


def _mask_unit(unit: Unit, places: Places) -> None:
    source = unit.source
    source["title"] = mask_text(source["title"], places.get(("", HitField.TITLE, 0), ()))
    if source["segments"] is not None:
        source["segments"] = _mask_segments(source["segments"], places)
    for line in unit.lines:
        key = sample_key_of(line)
        for name, field in (("title", HitField.TITLE), ("text", HitField.TEXT)):
            if matches := places.get((key, field, 0)):
                line[name] = mask_text(line[name], matches)
        if matches := places.get((key, HitField.FIELDS, FURTHER)):
            line["masked_fields"] = mask_text(further_fields(line), matches)
        if matches := places.get((key, HitField.FIELDS, REQUEST)):
            line["attributes"] = _mask_values(line["attributes"], matches)
        if source["segments"] is not None:
            for span in line.get("spans") or ():
                if "quote" in span:
                    span["quote"] = source["segments"][span["segment"]]["text"][span["start"] : span["end"]]


def _mask_values(attributes: Mapping[str, Any], matches: list[tuple[int, int]]) -> dict[str, Any]:
    """The attributes with the places of their JSON text masked. Contacts stand inside values, which are texts; where a
    number was masked, the values that it stood in are texts of the sign alone."""
    try:
        masked: dict[str, Any] = json.loads(mask_text(request_text(attributes), matches))
    except ValueError:
        return dict.fromkeys(attributes, MASK)
    return masked


def _mask_segments(segments: list[dict[str, Any]], places: Places) -> list[dict[str, Any]]:
    speakers: dict[str, str] = {}
    masked = []
    for index, segment in enumerate(segments):
        speaker = segment.get("speaker") or ""
        if speaker not in speakers:
            speakers[speaker] = mask_text(speaker, places.get(("", HitField.SPEAKER, index), ()))
        text = mask_text(segment["text"], places.get(("", HitField.SEGMENT, index), ()))
        masked.append({**segment, "speaker": speakers[speaker] or segment.get("speaker"), "text": text})
    return masked
