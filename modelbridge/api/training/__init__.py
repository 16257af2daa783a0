"""Calls on trainings and grids of them."""
