"""Prompt templates: texts in files, filled from the schema's declaration of the attributes."""
