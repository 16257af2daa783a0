"""Tests of `epitome check`: the second computation of a report's numbers."""
