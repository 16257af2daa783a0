"""Drawing samples for the sources of a project."""
