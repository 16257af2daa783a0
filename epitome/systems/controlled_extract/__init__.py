"""The metric-gaming baseline: deterministic, extractive, and optimized for the measure of each requested attribute."""
