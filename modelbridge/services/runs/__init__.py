"""Runs of systems: starting, working, leasing, reading outputs."""
