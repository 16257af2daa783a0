"""The systems of a project."""
