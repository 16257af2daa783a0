"""Publications: a release checked, described and written for others."""
