"""`refine`: drafts, measures and adjusts with another system until every measured attribute is in its range."""
