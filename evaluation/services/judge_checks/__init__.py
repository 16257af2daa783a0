"""Texts labelled by hand, and how often judges agree with the labels."""
