"""Texts of UIMA CAS files (INCEpTION, WebAnno, DKPro): XMI, and JSON in both of its layouts. The text is that of the
first view; annotations of people's own types are kept in the metadata, with offsets of characters.

Sources: OASIS UIMA 1.0, https://github.com/apache/uima-uimaj-io-jsoncas/blob/main/SPECIFICATION.adoc.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from epitome.formats.faults import to_printable
from epitome.formats.reading import InputFile, LineSpot
from epitome.formats.rows import Rows, clean_row, stem_of
from epitome.formats.utf16 import Utf16Offsets

MAX_CAS = 50_000_000
MAX_SPANS = 10_000
_CAS = "{http:///uima/cas.ecore}"
_ID = "{http://www.omg.org/XMI}id"
_OF_PROGRAMS = (
    "uima.",
    "de.tudarmstadt.ukp.dkpro.core.api.segmentation.",
    "de.tudarmstadt.ukp.dkpro.core.api.lexmorph.",
    "de.tudarmstadt.ukp.dkpro.core.api.syntax.",
    "de.tudarmstadt.ukp.dkpro.core.api.metadata.",
    "de.tudarmstadt.ukp.clarin.webanno.api.type.",
)
"""Types of tokens, sentences, tags of words and documents."""
_DOCUMENT = ("DocumentMetaData", "documentTitle")


class _Node(NamedTuple):
    """A structure of the file: the name of its type with the package, and its features."""

    name: str
    features: Mapping[str, Any]


def is_cas_json(entry: Mapping[str, Any]) -> bool:
    """Whether the one object of a file is a CAS."""
    return "%FEATURE_STRUCTURES" in entry or ("_context" in entry and "_referenced_fss" in entry)


def read_cas_row(file: InputFile) -> Rows:
    """The one row of a file. Raises UnreadableFile for one that is damaged or holds no text."""
    raw = file.raw_head(MAX_CAS + 1)
    if len(raw) > MAX_CAS:
        raise file.unreadable(f"is longer than {MAX_CAS:,} bytes; export its text as .txt", code="entry_too_long")
    nodes = list(_read_json(file, raw) if raw[:1] == b"{" else _read_xmi(file, raw))
    sofas = [node.features for node in nodes if node.name in ("uima.cas.Sofa", "Sofa")]
    texts = [sofa for sofa in sofas if isinstance(sofa.get("sofaString"), str) and sofa["sofaString"].strip()]
    if not texts:
        raise file.unreadable("is a UIMA CAS without a text; export the document as plain text", code="empty")
    first = next((sofa for sofa in texts if sofa.get("sofaID") == "_InitialView"), texts[0])
    text = first["sofaString"]
    title = next((node.features.get(_DOCUMENT[1]) for node in nodes if node.name.endswith(_DOCUMENT[0])), "")
    values: dict[str, Any] = {"id": stem_of(file.data_name), "title": title or "", "text": text}
    if spans := list(_list_spans(nodes, first, text)):
        values["metadata"] = {"spans": spans}
    if len(texts) > 1:
        file.notes.add(
            "the text of the first view is read, other views are left out", to_printable(file.data_name, 100)
        )
    yield clean_row(values, to_printable(file.data_name, 100), LineSpot(file, None))


def _list_spans(nodes: list[_Node], sofa: Mapping[str, Any], text: str) -> Iterator[dict[str, Any]]:
    """The annotations of a view, with their own features that are texts, numbers or yes and no."""
    offsets = Utf16Offsets(text)
    n_spans = 0
    for node in nodes:
        if node.name.startswith(_OF_PROGRAMS) or str(node.features.get("sofa")) != str(sofa["id"]):
            continue
        ends = [_to_int(node.features.get(name)) for name in ("begin", "end")]
        start, end = (offsets.to_characters(place) if place is not None else None for place in ends)
        if start is None or end is None or n_spans >= MAX_SPANS:
            continue
        n_spans += 1
        features = {
            name: value
            for name, value in node.features.items()
            if name not in ("id", "sofa", "begin", "end") and isinstance(value, str | int | float)
        }
        yield {"type": node.name, "start": start, "end": end, **({"features": features} if features else {})}


def _to_int(value: object) -> int | None:
    if isinstance(value, str) and value.isdecimal():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _read_xmi(file: InputFile, raw: bytes) -> Iterator[_Node]:
    try:
        from defusedxml.common import DefusedXmlException
        from defusedxml.ElementTree import ParseError, fromstring
    except ImportError:
        message = "needs the package defusedxml to be read: pip install 'epitome[office]'; or export the text as .txt"
        raise file.unreadable(message, code="missing_package") from None
    try:
        root = fromstring(raw)
    except (ParseError, DefusedXmlException, LookupError, ValueError) as error:
        raise file.unreadable(f"is not sound XML: {to_printable(str(error), 120)}", code="damaged") from error
    for element in root:
        space, _brace, name = str(element.tag).rpartition("}")
        package = space.removeprefix("{http:///").removesuffix(".ecore").replace("/", ".")
        node_type = name if package in ("", "uima.noNamespace") else f"{package}.{name}"
        yield _Node(node_type, {"id": element.get(_ID), **{key: value for key, value in element.items() if key != _ID}})


def _read_json(file: InputFile, raw: bytes) -> Iterator[_Node]:
    """The structures of a CAS in JSON: of `%FEATURE_STRUCTURES`, or of the older layout with `_referenced_fss`."""
    try:
        data = json.loads(raw)
        structures = data.get("%FEATURE_STRUCTURES", [])
        if isinstance(structures, dict):
            structures = [{"%ID": key, **value} for key, value in structures.items()]
        older = [{"%ID": key, **value} for key, value in data.get("_referenced_fss", {}).items()]
        for view in data.get("_views", {}).values():
            older += [
                {"_type": name, **value} for name, values in view.items() for value in values if isinstance(value, dict)
            ]
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        raise file.unreadable(f"is no sound CAS in JSON: {to_printable(str(error), 120)}", code="damaged") from error
    for structure in [*structures, *older]:
        if isinstance(structure, dict):
            features = {name.removeprefix("@"): value for name, value in structure.items() if name[:1] not in "%_"}
            kind = str(structure.get("%TYPE", structure.get("_type", "")))
            yield _Node(kind, {**features, "id": structure.get("%ID")})
