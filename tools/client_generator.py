"""`make client`: write the calls and shapes of `epitome.client` from the site's OpenAPI document.

Every operation becomes a method named by its operationId, every schema that an answer or a body needs a TypedDict. What
the document says in a way that is not known here ends the run, so that no call is written wrongly in silence.
"""

import keyword
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "epitome" / "client" / "generated"
NOTE = "Written by `make client`; do not edit."
METHODS = ("get", "post", "put", "patch", "delete")
ENVELOPE = {"count", "next", "previous", "results"}
REPEATABLE = {"assignments_claim", "items_claim"}
"""POSTs that may be sent twice: a second claim answers with the task that is held already."""
PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
WIDTH = 100


class NotUnderstood(Exception):
    """The document uses something that this generator does not know."""


@dataclass(frozen=True)
class Argument:
    """One argument of a method. where: path, query, header, json or form."""

    name: str
    key: str
    type: str
    where: str
    required: bool
    description: str


class Document:
    """The OpenAPI document, and the shapes that its operations need."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.paths = document["paths"]
        self.schemas = document["components"]["schemas"]
        self.needed: list[str] = []

    def resolve(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """The schema behind a reference."""
        if "$ref" in schema:
            return self.resolve(self.schemas[schema["$ref"].rsplit("/", 1)[1]])
        return schema

    def type_of(self, schema: Mapping[str, Any], prefix: str = "") -> str:
        """The Python type of a schema. prefix: before names of shapes."""
        name = self._name_type(schema, prefix)
        return f"{name} | None" if schema.get("nullable") and name not in ("Any", "None") else name

    def _name_type(self, schema: Mapping[str, Any], prefix: str) -> str:
        if "$ref" in schema:
            return self._reference(schema["$ref"].rsplit("/", 1)[1], prefix)
        if "allOf" in schema and len(schema["allOf"]) == 1:
            return self.type_of(schema["allOf"][0], prefix)
        if "oneOf" in schema:
            names = dict.fromkeys(self.type_of(choice, prefix) for choice in schema["oneOf"])
            return "Any" if "Any" in names else " | ".join(names)
        if "enum" in schema:
            return literal_type(schema["enum"])
        kind = schema.get("type")
        if kind == "string" and schema.get("format") == "binary":
            return "FileLike"
        if kind in PLAIN:
            return PLAIN[kind]
        if kind == "array":
            return f"list[{self.type_of(schema['items'], prefix)}]"
        if kind == "object":
            inner = schema.get("additionalProperties")
            return f"dict[str, {self.type_of(inner, prefix) if isinstance(inner, dict) else 'Any'}]"
        if kind is None:
            return "Any"
        raise NotUnderstood(f"a schema of type {kind}")

    def _reference(self, name: str, prefix: str) -> str:
        schema = self.schemas[name]
        if not is_record(schema):
            return self.type_of(schema, prefix)
        if name not in self.needed:
            self.needed.append(name)
        return prefix + name


def is_record(schema: Mapping[str, Any]) -> bool:
    """Whether a schema is an object with named fields, which becomes a TypedDict."""
    return schema.get("type") == "object" and bool(schema.get("properties"))


def literal_type(values: list[Any]) -> str:
    rows = dict.fromkeys("None" if value is None else repr(value) for value in values)
    return f"Literal[{', '.join(rows)}]"


def optional_type(name: str) -> str:
    """The type of an argument that need not be given; None comes last."""
    plain = name.removesuffix(" | None")
    return f"{plain} | Unset" + (" | None" if plain != name else "")


def safe_name(name: str) -> str:
    """The name of an argument: an identifier that is no keyword."""
    plain = re.sub(r"\W", "_", name).lower()
    return f"{plain}_" if keyword.iskeyword(plain) else plain


def one_line(text: str) -> str:
    """A description without the list of choices that the document appends to it: the type says them."""
    return " ".join(text.partition("\n\n* `")[0].split())


# ------------------------------------------------------------------------------------------------------------ calls


def list_operations(document: Document) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """(path below /api/v1/, method, operation), in the order of the operations' names."""
    rows = [
        (path, method, operation)
        for path, methods in document.paths.items()
        for method, operation in methods.items()
        if method in METHODS
    ]
    for path, method, operation in sorted(rows, key=lambda row: row[2]["operationId"]):
        yield path.removeprefix("/api/v1/"), method, operation


def list_arguments(document: Document, operation: Mapping[str, Any]) -> list[Argument]:
    """Arguments of the path, the query, headers and the body. Raises NotUnderstood where two have one name."""
    arguments = [
        Argument(
            safe_name(row["name"]),
            row["name"],
            document.type_of(row["schema"]),
            row["in"],
            row["in"] == "path",
            one_line(row.get("description", "")),
        )
        for row in operation.get("parameters", [])
        if not (row["in"] == "query" and row["name"] == "page")
    ]
    for media, body in operation.get("requestBody", {}).get("content", {}).items():
        where = {"application/json": "json", "multipart/form-data": "form"}.get(media)
        if where is None:
            raise NotUnderstood(f"{operation['operationId']}: a body of {media}")
        arguments += body_arguments(document, body["schema"], where)
    names = [argument.name for argument in arguments]
    if len(set(names)) != len(names):
        raise NotUnderstood(f"{operation['operationId']}: two arguments with one name in {names}")
    return arguments


def body_arguments(document: Document, schema: Mapping[str, Any], where: str) -> list[Argument]:
    """One argument for each field of the body."""
    body = document.resolve(schema)
    if not is_record(body):
        raise NotUnderstood(f"a body that is no object with fields: {str(schema)[:100]}")
    needed = set(body.get("required", []))
    return [
        Argument(
            safe_name(key), key, document.type_of(field, "shapes."), where, key in needed,
            one_line(field.get("description", "")),
        )
        for key, field in body["properties"].items()
        if not field.get("readOnly")
    ]  # fmt: skip


def answer_of(document: Document, operation: Mapping[str, Any]) -> tuple[str, str]:
    """(how the answer is read, its type): pages, download, nothing, json or maybe (204 where there is none)."""
    contents = [
        (media, answer["schema"])
        for status, row in operation["responses"].items()
        if status.startswith("2")
        for media, answer in row.get("content", {}).items()
    ]
    if not contents:
        return "nothing", "None"
    if any(media != "application/json" for media, _schema in contents):
        return "download", "Download"
    shape = document.resolve(contents[0][1])
    if set(shape.get("properties", {})) == ENVELOPE:
        return "pages", f"Iterator[{document.type_of(shape['properties']['results']['items'], 'shapes.')}]"
    types = " | ".join(dict.fromkeys(document.type_of(schema, "shapes.") for _media, schema in contents))
    if "204" in operation["responses"]:
        return "maybe", f"{types} | Nothing"
    return "json", types


def write_docstring(path: str, method: str, operation: Mapping[str, Any], arguments: list[Argument]) -> list[str]:
    lines = [f"{operation.get('summary', operation['operationId']).rstrip('.')}."]
    if operation.get("description"):
        lines += ["", *textwrap.wrap(one_line(operation["description"]), WIDTH)]
    for argument in arguments:
        if argument.description and argument.where != "path":
            lines += textwrap.wrap(
                f"{argument.name}: {argument.description}", WIDTH, initial_indent="    ", subsequent_indent="        "
            )
    lines += ["", f"{method.upper()} {path}"]
    text = "\n".join(lines).replace("\\", "\\\\").replace('"""', "'''")
    return [f'        """{text.splitlines()[0]}', *(f"        {line}".rstrip() for line in text.splitlines()[1:]),
            '        """']  # fmt: skip


def write_method(document: Document, path: str, method: str, operation: Mapping[str, Any]) -> str:
    """The source of one method."""
    arguments = list_arguments(document, operation)
    reading, returns = answer_of(document, operation)
    positional = [f"{row.name}: {row.type}" for row in arguments if row.where == "path"]
    named = [
        f"{row.name}: {row.type}" if row.required and row.where != "header"
        else f'{row.name}: str = ""' if row.where == "header"
        else f"{row.name}: {optional_type(row.type)} = UNSET"
        for row in sorted(arguments, key=lambda row: not row.required)
        if row.where != "path"
    ]  # fmt: skip
    signature = ", ".join(["self", *positional, *(["/"] if positional else []), *(["*", *named] if named else [])])
    values = ", ".join(f'"{row.key}": {row.name}' for row in arguments if row.where == "path")
    options = [f"path_values={{{values}}}"] if values else []
    for where in ("query", "header", "json", "form"):
        if pairs := ", ".join(f'"{row.key}": {row.name}' for row in arguments if row.where == where):
            options.append(f"{'headers' if where == 'header' else where}={{{pairs}}}")
    if files := [row.key for row in arguments if row.where == "form" and row.type == "FileLike"]:
        options.append(f"files={(*files,)!r}")
    if operation["operationId"] in REPEATABLE:
        options.append("repeatable=True")
    call = f'self._call_{reading}("{method.upper()}", "{path}", {", ".join(options)})'
    body = f"        {call}" if reading == "nothing" else f"        return {call}"
    docstring = write_docstring(path, method, operation, arguments)
    return "\n".join([f"    def {operation['operationId']}({signature}) -> {returns}:", *docstring, body])


def write_calls(document: Document) -> str:
    methods = [write_method(document, *row) for row in list_operations(document)]
    head = f'''"""Every call of the API as a method. {NOTE}"""

from collections.abc import Iterator
from typing import Any, Literal

from epitome.client.caller import UNSET, Caller, Unset
from epitome.client.downloads import Download
from epitome.client.nothing import Nothing
from epitome.client.uploads import FileLike

from . import shapes


class Calls(Caller):
    """Every call of the API, named as in the OpenAPI document (`/api/schema/`)."""

'''
    return head + "\n\n".join(methods) + "\n"


# ----------------------------------------------------------------------------------------------------------- shapes


def write_shape(document: Document, name: str) -> str:
    """The TypedDict of one schema."""
    schema = document.schemas[name]
    needed = set(schema.get("required", []))
    fields = {
        key: document.type_of(field) if key in needed else f"NotRequired[{document.type_of(field)}]"
        for key, field in schema["properties"].items()
    }
    if any(not key.isidentifier() or keyword.iskeyword(key) for key in fields):
        rows = ", ".join(f'"{key}": {kind!r}' for key, kind in fields.items())
        return f'{name} = TypedDict("{name}", {{{rows}}})'
    return "\n".join([f"class {name}(TypedDict):", *(f"    {key}: {kind}" for key, kind in fields.items())])


def write_shapes(document: Document) -> str:
    """Every needed shape, and those that they need; by name."""
    sources: dict[str, str] = {}
    while rest := [name for name in document.needed if name not in sources]:
        for name in rest:
            sources[name] = write_shape(document, name)
    head = f'''"""What the API sends and takes, as typed dictionaries. {NOTE}"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

'''
    return head + "\n\n\n".join(sources[name] for name in sorted(sources)) + "\n"


def format_code(text: str) -> str:
    """As `make format` would leave it."""
    for command in (["check", "--select", "I,F401", "--fix", "--quiet"], ["format", "--quiet"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(TARGET / "calls.py"), "-"],
            input=text, capture_output=True, text=True, check=True, cwd=ROOT,
        )  # fmt: skip
        text = done.stdout
    return text


def generate_files(description: Mapping[str, Any]) -> dict[str, str]:
    """The generated modules: file name -> source."""
    document = Document(description)
    calls = write_calls(document)
    files = {"calls.py": calls, "shapes.py": write_shapes(document), "__init__.py": f'"""{NOTE}"""\n'}
    return {name: format_code(text) for name, text in files.items()}


def read_site_document() -> dict[str, Any]:
    """The OpenAPI document of this checkout."""
    import django

    django.setup()
    from drf_spectacular.generators import SchemaGenerator

    document: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return document


def main() -> int:
    import os

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "epitome.site.settings")
    for name, text in generate_files(read_site_document()).items():
        (TARGET / name).write_text(text, encoding="utf-8")
    print(f"written: {TARGET.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
