"""One list of formats, from which reading, recognizing, pages, the API and the command follow."""

import ast
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class
from django.utils import translation

from annotation.api.sources.serializers import ImportIn
from annotation.views.sources import import_forms
from epitome import formats
from epitome.formats.file_format import Format
from epitome.formats.options import ImportOptions
from epitome.formats.reading import input_file
from epitome.formats.registry import FORMATS
from epitome.formats.rows import Row
from epitome.formats.tool_exports import TOOLS
from tests.formats.helpers import write


def test_the_page_the_api_and_the_command_offer_every_format():
    names = ["auto", *FORMATS]
    assert [name for name, _label in import_forms.list_formats()] == names
    assert list(ImportIn().fields["format"].choices) == names
    parser = load_command_class(get_commands()["import_sources"], "import_sources").create_parser("", "import_sources")
    (action,) = [action for action in parser._actions if action.dest == "format"]
    assert list(action.choices) == names


def test_labels_are_in_the_readers_language_but_for_names_of_programs():
    labels = {known.label for known in FORMATS.values()}
    assert set(import_forms.TRANSLATED_FORMATS) < labels, "a label that no format has any more"
    with translation.override("de"):
        offered = dict(import_forms.list_formats())
    assert (offered["text"], offered["doccano"]) == ("Reiner Text", "doccano")
    untranslated = labels - set(import_forms.TRANSLATED_FORMATS)
    tools = {tool.label for tool in TOOLS}
    assert untranslated == {"MACSum", "QMSum", "Parquet", "Arrow", "UIMA CAS"} | tools


def test_a_format_is_read_by_its_rows_alone(tmp_path):
    file = input_file(write(tmp_path, "a | One two.\nb | Three four.\n", "in.bars"))

    def read_bars(file):
        for number, line in enumerate(file.path.read_text().splitlines(), 1):
            name, text = line.split(" | ")
            yield Row({"id": name, "text": text}, f"line {number}", None)

    bars = Format("bars", "Bars", rows=read_bars)
    assert [unit.external_id for unit in bars.read_sources(file, ImportOptions())] == ["a", "b"]
    with pytest.raises(ValueError, match="columns"):
        Format("plain", "Plain").read_rows(file)


def test_no_file_of_the_room_needs_one_that_needs_it():
    """Imports inside functions count too."""
    room = Path(formats.__file__).parent
    needs = {path.stem: find_needs(path) for path in room.glob("*.py")}
    while free := [name for name, others in needs.items() if not others & needs.keys()]:
        for name in free:
            del needs[name]
    assert not needs


def find_needs(path: Path) -> set[str]:
    imports = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
    return {
        (node.module or "").removeprefix(f"{formats.__name__}.")
        for node in imports
        if (node.module or "").startswith(f"{formats.__name__}.")
    }
