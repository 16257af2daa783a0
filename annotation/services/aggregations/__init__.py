"""Aggregation projects: instances extracted from articles, and the backgrounds of their entities."""
