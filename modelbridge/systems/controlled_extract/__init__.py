"""The metric-gaming baseline: deterministic, extractive, and as close as can be to what each attribute asks for."""
