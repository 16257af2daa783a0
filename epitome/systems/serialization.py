"""Requests and outputs as JSON, for a system in a separate process."""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from epitome.schema import Schema, content_hash, parse_schema
from epitome.systems.batching import Failure
from epitome.systems.cleaning import clean_value
from epitome.systems.protocol import (
    AggregationTask,
    NamedEntity,
    Output,
    Request,
    RequestValue,
    WorkedExample,
)

SEGMENT_KEYS = ("speaker", "text", "raw")
MAX_PROMPT = 1_000_000


def encode_message(message: Mapping[str, Any]) -> bytes:
    """One message: JSON on one line, in ASCII, so that unpaired surrogates and line separators in texts are safe."""
    return json.dumps(message, ensure_ascii=True).encode("ascii") + b"\n"


def request_as_json(request: Request, schema: str, example_schemas: Sequence[str] = ()) -> dict[str, Any]:
    """schema: the hash of the schema's text, which is sent separately; example_schemas: those of its examples."""
    examples = [
        {
            "id": example.id,
            "origin": example.origin,
            "segments": _segments_as_json(example.segments),
            "values": _values_as_json(example.values),
            "schema": example_schema,
            "text": example.text,
        }
        for example, example_schema in zip(request.examples, example_schemas, strict=True)
    ]
    return {
        "id": request.id,
        "segments": _segments_as_json(request.segments),
        "values": _values_as_json(request.values),
        "schema": schema,
        "examples": examples,
        "seed": request.seed,
        "text": request.text,
        "candidates": list(request.candidates),
        "extract": list(request.extract),
        "aggregation": None if request.aggregation is None else dataclasses.asdict(request.aggregation),
    }


def read_aggregation(data: Mapping[str, Any]) -> AggregationTask:
    """The opposite of `dataclasses.asdict`, also of its JSON."""
    return AggregationTask(
        data["entity_type"],
        tuple(NamedEntity(entity["name"], entity["background"]) for entity in data["entities"]),
        data["title"],
        data["context"],
        tuple(data["train_counts"]),
    )


def _segments_as_json(segments: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    return [{key: segment[key] for key in SEGMENT_KEYS if key in segment} for segment in segments]


def _values_as_json(values: Mapping[str, RequestValue]) -> dict[str, Any]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}


def _read_values(values: Mapping[str, Any]) -> dict[str, RequestValue]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}


class Schemas:
    """Parsed schemas by the hash of their text."""

    def __init__(self) -> None:
        self.known: dict[str, Schema] = {}

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            key = content_hash(text)
            if key not in self.known:
                self.known[key] = parse_schema(text, needs_attributes=False)

    def request(self, data: Mapping[str, Any]) -> Request:
        return Request(
            id=data["id"],
            segments=tuple(data["segments"]),
            values=_read_values(data["values"]),
            schema=self.known[data["schema"]],
            seed=data["seed"],
            text=data["text"],
            candidates=tuple(data["candidates"]),
            examples=tuple(map(self.example, data.get("examples", ()))),
            extract=tuple(data.get("extract", ())),
            aggregation=read_aggregation(data["aggregation"]) if data.get("aggregation") else None,
        )

    def example(self, data: Mapping[str, Any]) -> WorkedExample:
        values, schema = _read_values(data["values"]), self.known[data["schema"]]
        return WorkedExample(data["id"], data["origin"], tuple(data["segments"]), values, schema, data["text"])


def result_as_json(result: Output | Failure) -> dict[str, Any]:
    """The text unchanged (it is cleaned when stored), all other fields as plain JSON values."""
    if isinstance(result, Failure):
        return {"failure": clean_value(result.reason)}
    values = {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}
    plain_values = {name: clean_value(value, MAX_PROMPT) for name, value in values.items() if name != "text"}
    return {**plain_values, "text": result.text}


def result_from_json(data: Mapping[str, Any]) -> Output | Failure:
    if "failure" in data:
        return Failure(str(data["failure"]))
    known = {field.name for field in dataclasses.fields(Output)}
    values = {name: value for name, value in data.items() if name in known}
    values["candidates"] = tuple((text, score) for text, score in values.get("candidates", ()))
    values["steps"] = tuple(values.get("steps", ()))
    return Output(**values)
