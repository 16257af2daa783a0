"""A second computation of every number of an exported report, from its rows and by the formulas printed in it.

It shares no code with the rooms that made the report: an import contract allows the standard library and numpy alone.
"""
