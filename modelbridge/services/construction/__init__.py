"""Building CCSBench from papers: steps, calls to a chat model, the summaries of each set, verdicts on rewrites."""
