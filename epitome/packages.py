"""Detects a foreign package under one of the names that Epitome installs beside `epitome`."""

import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

OWN_PACKAGES = ("annotation", "evaluation", "modelbridge")
"""What the distribution installs beside `epitome`, as top-level names."""
ROOT = Path(__file__).resolve().parent.parent


class PackageClash(ImportError):
    """Python finds another package where Epitome's own is expected; the message names both and what to do."""


def check_own_packages() -> None:
    """Raise PackageClash when Python finds another `annotation`, `evaluation` or `modelbridge` before Epitome's."""
    for name in OWN_PACKAGES:
        place = _find_place(name)
        if place != ROOT / name:
            where = f"finds another one in {place}" if place else "does not find it"
            raise PackageClash(
                f"Epitome needs its own package {name!r} ({ROOT / name}), but Python {where}. Rename or uninstall the"
                f" other one, start from another folder, or install Epitome into an environment of its own.",
                name=name,
            )


def _find_place(name: str) -> Path | None:
    """The folder (or file) of the package that an import of `name` gives; None where there is none."""
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):  # ValueError: a module without a spec was put there by hand
        module = sys.modules.get(name)
        file = getattr(module, "__file__", None)
        return _package_folder(Path(file)) if file else None
    return _place_of_spec(spec) if spec is not None else None


def _place_of_spec(spec: ModuleSpec) -> Path | None:
    if spec.origin and spec.has_location:
        return _package_folder(Path(spec.origin))
    folders = list(spec.submodule_search_locations or ())  # a folder without __init__.py
    return Path(folders[0]).resolve() if folders else None


def _package_folder(file: Path) -> Path:
    file = file.resolve()
    return file.parent if file.name == "__init__.py" else file
