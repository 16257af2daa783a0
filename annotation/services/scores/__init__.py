"""Measuring stored texts, and reading the scores that count now."""
