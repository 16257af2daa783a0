"""Training systems on the summaries of a project."""
