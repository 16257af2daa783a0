"""Instances as the subject of samples: for the task page, exports, restores, pilots and undone draws."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from annotation.models import AggregationInstance, BackgroundOrigin, ContextKind, Project, Sample
from annotation.services.aggregations import backgrounds
from annotation.services.core.sample_subjects import SAMPLE_SUBJECTS
from epitome.aggregations.articles import ABSTRACT, MAX_NAME, TYPES, read_abstract
from epitome.aggregations.backgrounds import Background, is_web_address
from epitome.aggregations.tuples import SIZES
from epitome.formats.encoded_json import parse_stored_json
from epitome.formats.faults import FieldFault
from epitome.formats.line_fields import require_field, require_int

ENTITY_FIELDS = ("name", "url", "background", "background_tokens", "mentions")
SAMPLES_AT_ONCE = 1000


class InstanceSubject:
    kind = "aggregation"
    fields: tuple[str, ...] = ("instance", "entity_type", "entities", "context")

    def describe(self, sample_id: int) -> dict[str, Any] | None:
        instance = (
            AggregationInstance.objects.filter(sample=sample_id)
            .select_related("sample__document")
            .only(
                *("entity_type", "entities", "context_kind", "first_segment", "last_segment"),
                *("sample__document__metadata_json",),
            )
            .first()
        )
        if instance is None:
            return None
        in_abstract = instance.context_kind == ContextKind.ABSTRACT
        return {
            "entity_type": instance.entity_type,
            "entities": instance.entities,
            "context": _describe_context(instance.context_kind, instance.first_segment, instance.last_segment),
            "abstract": read_abstract(instance.sample.document.metadata) if in_abstract else "",
        }

    def read_fields(self, samples: Collection[int]) -> dict[int, dict[str, Any]]:
        columns = ("sample_id", "key", "entity_type", "entities", "context_kind", "first_segment", "last_segment")
        rows = AggregationInstance.objects.filter(sample__in=list(samples)).values_list(*columns)
        return {
            sample: {
                "instance": key,
                "entity_type": entity_type,
                "entities": entities,
                "context": _describe_context(kind, first, last),
            }
            for sample, key, entity_type, entities, kind, first, last in rows
        }

    def place(self, line: dict[str, Any], source: Mapping[str, Any]) -> None:
        """Add the text of the context, or null where the source may not be released."""
        context = line.get("context")
        if not isinstance(context, dict):
            return
        segments = source["segments"]
        text = None
        if segments is not None and context["kind"] == ContextKind.ABSTRACT:
            text = read_abstract(parse_stored_json(source["metadata"]))
        elif segments is not None:
            text = "\n".join(row["text"] for row in segments[context["first"] : context["last"] + 1])
        line["context"] = {**context, "text": text}

    def check_line(self, line: Mapping[str, Any]) -> None:
        if not any(name in line for name in self.fields):
            return  # a sample that was made without entities
        key = require_field(line, "instance", str)
        if not key or len(key) > 120:
            raise FieldFault(("instance",), "must be a text of 1 to 120 characters", key, "length")
        if require_field(line, "entity_type", str) not in TYPES:
            raise FieldFault(("entity_type",), f"must be one of {', '.join(TYPES)}", line["entity_type"])
        entities = require_field(line, "entities", list)
        if len(entities) not in SIZES:
            raise FieldFault(("entities",), f"must be {SIZES[0]} to {SIZES[-1]} entities", entities, "length")
        names = [_check_entity(row, ("entities", index)) for index, row in enumerate(entities)]
        if len(set(names)) != len(names):
            raise FieldFault(("entities",), "names an entity twice", names, "doubled")
        _check_context(require_field(line, "context", dict))

    def store(self, project: Project, rows: Sequence[tuple[Sample, Mapping[str, Any]]]) -> None:
        rows = [(sample, line) for sample, line in rows if "instance" in line]
        given_backgrounds = {
            entity["name"]: Background(
                entity["name"], "", entity["url"], entity["background"], entity["background_tokens"]
            )
            for _sample, line in rows
            for entity in line["entities"]
        }
        background_rows = backgrounds.get_or_create_rows(
            project, given_backgrounds.keys(), given_backgrounds, BackgroundOrigin.RESTORED
        )
        instances = [_restore_instance(project, sample, line) for sample, line in rows]
        AggregationInstance.objects.bulk_create(instances, batch_size=200)
        backgrounds.link_instances(instances, background_rows)

    def copy(self, sample: Sample, copied: Sample) -> None:
        instance = AggregationInstance.objects.filter(sample=sample).first()
        if instance is not None:
            instance.pk, instance.project_id, instance.sample = None, copied.project_id, copied
            instance.save(force_insert=True)

    def delete(self, samples: Collection[int]) -> None:
        ids = list(samples)
        for start in range(0, len(ids), SAMPLES_AT_ONCE):
            AggregationInstance.objects.filter(sample__in=ids[start : start + SAMPLES_AT_ONCE]).delete()


def _describe_context(kind: str, first: int | None, last: int | None) -> dict[str, Any]:
    return {"kind": kind, "first": first, "last": last}


def _check_entity(row: Any, path: tuple[str | int, ...]) -> str:
    if not isinstance(row, dict):
        raise FieldFault(path, "must be an object", row, "type")
    for field in row:
        if field not in ENTITY_FIELDS:
            raise FieldFault((*path, field), "is no field of an entity", row[field])
    name = require_field(row, "name", str, path=path)
    if not 0 < len(name) <= MAX_NAME:
        raise FieldFault((*path, "name"), f"must be a text of 1 to {MAX_NAME} characters", name, "length")
    url = require_field(row, "url", str, path=path)
    if url and (len(url) > 1000 or not is_web_address(url)):
        raise FieldFault((*path, "url"), "must be a link of the web", url)
    require_field(row, "background", str, path=path)
    require_int(row, "background_tokens", path=path)
    for index, mention in enumerate(require_field(row, "mentions", list, path=path)):
        is_triple = isinstance(mention, list) and len(mention) == 3
        if not is_triple or not all(isinstance(n, int) and not isinstance(n, bool) for n in mention):
            raise FieldFault((*path, "mentions", index), "must be [segment, start, end]", mention, "type")
        if not (mention[0] >= ABSTRACT and 0 <= mention[1] < mention[2]):
            raise FieldFault((*path, "mentions", index), "must be a range in a segment or in -1", mention, "range")
    return name


def _check_context(context: dict[str, Any]) -> None:
    kind = require_field(context, "kind", str, path=("context",))
    if kind not in ContextKind.values:
        raise FieldFault(("context", "kind"), f"must be one of {', '.join(ContextKind.values)}", kind)
    if kind == ContextKind.ABSTRACT:
        for name in ("first", "last"):
            if context.get(name) is not None:
                raise FieldFault(("context", name), "must be null: the context is the abstract", context[name])
        return
    first = require_int(context, "first", path=("context",))
    if require_int(context, "last", path=("context",)) < first:
        raise FieldFault(("context", "last"), "must not be before first", context["last"], "range")


def _restore_instance(project: Project, sample: Sample, line: Mapping[str, Any]) -> AggregationInstance:
    context = line["context"]
    return AggregationInstance(
        project=project,
        sample=sample,
        key=line["instance"],
        entity_type=line["entity_type"],
        entities=[{name: entity[name] for name in ENTITY_FIELDS} for entity in line["entities"]],
        context_kind=context["kind"],
        first_segment=context["first"],
        last_segment=context["last"],
    )


SAMPLE_SUBJECTS.register(InstanceSubject())
