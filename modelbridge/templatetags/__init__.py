"""Template tags of the pages of systems."""
