"""Rounds: design, launch, access and instructions."""
