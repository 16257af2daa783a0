"""Runs systems over samples. May import annotation."""
