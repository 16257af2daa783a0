"""The modules that a page's script imports, read from the `import` statements in static/js, for modulepreload links."""

import re
from functools import cache
from pathlib import Path

from django.contrib.staticfiles import finders

_IMPORT = re.compile(r'^(?:import|export)\s[^;]*?\bfrom\s+"\./([\w-]+)\.js";', re.MULTILINE)
_IMPORT_FOR_EFFECT = re.compile(r'^import\s+"\./([\w-]+)\.js";', re.MULTILINE)


@cache
def list_imported_modules(name: str) -> tuple[str, ...]:
    """Names of all modules that static/js/<name>.js imports, also through others, sorted. `import()` is not followed.

    Raises FileNotFoundError when a module of the graph does not exist.
    """
    modules: set[str] = set()
    unread = [name]
    while unread:
        imported = read_imports(find_script(unread.pop())) - modules - {name}
        modules |= imported
        unread.extend(imported)
    return tuple(sorted(modules))


def find_script(name: str) -> Path:
    path = finders.find(f"js/{name}.js")
    if path is None:
        raise FileNotFoundError(f"static/js/{name}.js does not exist, but a script imports it")
    return Path(path)


def read_imports(script: Path) -> set[str]:
    """Names of the modules of the same folder that a script imports when it is loaded."""
    text = script.read_text(encoding="utf-8")
    return {*_IMPORT.findall(text), *_IMPORT_FOR_EFFECT.findall(text)}
