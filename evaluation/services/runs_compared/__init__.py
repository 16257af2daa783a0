"""Runs beside human summaries: scores, tables and figures."""
