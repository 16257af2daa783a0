"""The reader of `import` statements behind the modulepreload links of the task page and the rating page."""

import re

import pytest

from annotation.views.core.script_modules import find_script, list_imported_modules, read_imports
from annotation.views.tasks.task_meters import list_meter_modules

SCRIPT = """// import { nothing } from "./comment.js";
import { one } from "./one-line.js";
import {
  first,
  second,
} from "./several-lines.js";
import "./effect.js";
export { again } from "./exported.js";
import * as other from "elsewhere";
const text = 'import { x } from "./text.js";';
const later = () => import("./on-demand.js");
"""


def test_every_kind_of_import_statement_is_read_and_nothing_else(tmp_path):
    script = tmp_path / "entry.js"
    script.write_text(SCRIPT)
    assert read_imports(script) == {"one-line", "several-lines", "effect", "exported"}


def test_modules_that_other_modules_import_are_listed_once_without_the_script_itself():
    modules = list_imported_modules("task")
    assert list(modules) == sorted(set(modules))
    assert {"dom", "highlight", "unicode"} <= set(modules)  # highlight.js and unicode.js are imported by others only
    assert "task" not in modules
    for name in ("task", *modules):
        assert read_imports(find_script(name)) <= set(modules)


def test_modules_of_the_meters_are_those_that_the_task_page_does_not_load_anyway():
    modules = set(list_meter_modules())
    assert {"meters", "overlap"} <= modules
    assert not modules & set(list_imported_modules("task"))
    assert read_imports(find_script("meters")) <= modules | set(list_imported_modules("task"))


def test_a_module_that_does_not_exist_is_named():
    with pytest.raises(FileNotFoundError, match=re.escape("static/js/no-such-module.js")):
        list_imported_modules("no-such-module")
