"""Building CCSBench from papers: the steps, what an answer must hold, which summaries make up each set. No Django."""
