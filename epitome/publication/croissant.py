"""The description of a dataset for machines: Croissant 1.0, as JSON-LD."""

from collections.abc import Mapping
from typing import Any

from epitome.publication.facts import DataFile, DatasetFacts
from epitome.publication.licences import find_licence

CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_TYPES = {"text": "sc:Text", "int": "sc:Integer", "bool": "sc:Boolean", "json": "sc:Text", "texts": "sc:Text"}
_NESTED: dict[str, dict[str, tuple[str, str]]] = {
    "segments": {"speaker": ("sc:Text", "speaker"), "text": ("sc:Text", "text")},
    "spans": {
        "segment": ("sc:Integer", "segment"),
        "start": ("sc:Integer", "start"),
        "end": ("sc:Integer", "end"),
        "quote": ("sc:Text", "quote"),
    },
    "ranges": {"first": ("sc:Integer", "$[0]"), "last": ("sc:Integer", "$[1]")},
}
"""Kinds of columns that are lists of objects: name of each part -> its type, and where it stands in an object."""


def build_croissant(facts: DatasetFacts) -> dict[str, Any]:
    """The JSON-LD object. Left out where it is not known: licence, citation, homepage, creators."""
    description = facts.description
    known = {
        "license": find_licence(description.licence).url or description.licence,
        "citeAs": description.citation,
        "url": description.homepage,
        "creator": _name_creators(description.authors),
    }
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": facts.title,
        "description": description.summary or f"Release {facts.tag} of the project {facts.slug}.",
        "version": _to_version(facts.tag),
        "datePublished": facts.published_on,
        "inLanguage": facts.language,
        "keywords": ["controllable summarization", *(item.label for item in facts.attributes)],
        **{name: value for name, value in known.items() if value},
        "distribution": [_describe_file(file) for file in facts.files],
        "recordSet": [_describe_records(file) for file in facts.files],
    }


def _name_creators(authors: str) -> list[dict[str, str]]:
    names = [name.strip() for name in authors.replace("\n", ";").split(";")]
    return [{"@type": "sc:Person", "name": name} for name in names if name]


def _to_version(tag: str) -> str:
    """A tag such as v1.0 as three numbers, which Croissant asks for; 1.0.0 for one that is no number."""
    numbers = tag.lstrip("vV").split(".")
    if not 1 <= len(numbers) <= 3 or not all(number.isdecimal() for number in numbers):
        return "1.0.0"
    return ".".join([*(str(int(number)) for number in numbers), "0", "0"][:3])


def _file_id(file: DataFile) -> str:
    return f"{file.config}-{file.split}-file"


def _describe_file(file: DataFile) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": _file_id(file),
        "name": _file_id(file),
        "contentUrl": file.path,
        "contentSize": f"{file.size} B",
        "encodingFormat": "application/x-parquet",
        "sha256": file.sha256,
    }


def _describe_records(file: DataFile) -> dict[str, Any]:
    name = f"{file.config}-{file.split}"
    fields = [_describe_column(file, name, column, kind) for column, kind in file.columns.items()]
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": f"The split {file.split} of the configuration {file.config}: {file.n_rows} rows.",
        "field": fields,
    }


def _describe_column(file: DataFile, records: str, column: str, kind: str) -> Mapping[str, Any]:
    return (
        _describe_nested(file, records, column, kind)
        if kind in _NESTED
        else _describe_field(file, records, column, kind)
    )


def _describe_nested(file: DataFile, records: str, column: str, kind: str) -> Mapping[str, Any]:
    """A list of objects: a field with a sub-field for each part, all drawn from the one column."""

    def describe_part(part: str, data_type: str, path: str) -> dict[str, Any]:
        source = {"fileObject": {"@id": _file_id(file)}, "extract": {"column": column}, "transform": {"jsonPath": path}}
        field_id = f"{records}/{column}/{part}"
        return {"@type": "cr:Field", "@id": field_id, "name": part, "dataType": data_type, "source": source}

    parts = [describe_part(part, data_type, path) for part, (data_type, path) in _NESTED[kind].items()]
    return {
        "@type": "cr:Field",
        "@id": f"{records}/{column}",
        "name": column,
        "repeated": True,
        "subField": parts,
    }


def _describe_field(file: DataFile, records: str, column: str, kind: str) -> Mapping[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{records}/{column}",
        "name": column,
        "dataType": _TYPES[kind],
        **({"repeated": True} if kind == "texts" else {}),
        "source": {"fileObject": {"@id": _file_id(file)}, "extract": {"column": column}},
    }
