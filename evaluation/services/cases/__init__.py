"""Outputs kept as cases of attributes that get in each other's way."""
