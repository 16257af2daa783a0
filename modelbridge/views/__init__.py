"""The pages of systems, runs and outputs."""
