"""Reports of runs over contrastive examples: loading scores, tables, the worst tuples."""
