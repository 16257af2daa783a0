"""Restoring an export of Epitome into a project."""
