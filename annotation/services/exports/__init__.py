"""Exports and releases of a project."""
