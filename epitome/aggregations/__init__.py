"""Aggregations of entities: normalised answers, which of them count, and what an article offers. Pure."""
