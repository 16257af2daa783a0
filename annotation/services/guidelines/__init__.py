"""Guideline versions and the gate before the first task."""
