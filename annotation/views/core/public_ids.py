"""Public ids in forms and query strings; those in paths are parsed by Django."""

import uuid

from annotation.services.core.errors import NotFound


def parse_uuid(text: str) -> uuid.UUID:
    """A public id submitted with a form. Raises NotFound, as for an unknown id."""
    try:
        return uuid.UUID(text)
    except ValueError as error:
        raise NotFound from error
