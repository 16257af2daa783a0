"""Makes the dataset: sources, samples, summaries. Knows nothing of systems or rounds."""
