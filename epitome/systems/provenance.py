"""Library versions stored with every output, for any kind of system."""

import platform
from functools import cache
from importlib import metadata


@cache
def version_of(library: str) -> str:
    """The installed version; "absent" if not installed."""
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return "absent"


def library_versions(*libraries: str) -> dict[str, str]:
    """Library -> version, always including Epitome and Python."""
    installed = {library: version_of(library) for library in ("epitome", *libraries)}
    return {"python": platform.python_version(), **installed}
