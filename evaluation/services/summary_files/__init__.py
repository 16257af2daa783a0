"""Tables of summaries that somebody has: a project made of one, and its first blind round."""
